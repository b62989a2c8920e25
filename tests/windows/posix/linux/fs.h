#include <sys/ioctl.h>
