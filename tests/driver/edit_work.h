/* What one process of an edit storm does, in each of its threads, until the storm is over. */
#ifndef DRIVER_EDIT_WORK_H
#define DRIVER_EDIT_WORK_H

#include "edit_shared.h"

/* Returns when the storm is over. A worker behind the last that writes reads. */
void edit_work(struct edit_shared *shared, long worker, uint64_t incarnation);

/* One more update of a file, in a slot that was begun before; for whoever comes last. */
void edit_work_last(struct edit_shared *shared, long file, long number);

#endif
