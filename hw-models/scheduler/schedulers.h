/* All schedulers, for those who name one. Apart from scheduler.h, so that a new one makes few files be compiled. */
#ifndef REPRISE_HW_MODELS_SCHEDULERS_H
#define REPRISE_HW_MODELS_SCHEDULERS_H

#include "hw-models/scheduler/scheduler.h"

#define SCHEDULER(name) extern const struct scheduler_model scheduler_##name;
#include "hw-models/scheduler/schedulers.def"
#undef SCHEDULER

#endif
