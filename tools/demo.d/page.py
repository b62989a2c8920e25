def document(reports, seconds):
    import json
    return json.dumps({r.letter:{s:{"picture":x.picture,"maps":x.maps,"rows":x.rows} for s,x in r.sides.items()} for r in reports})
