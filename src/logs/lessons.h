// What several starts in a log teach that one of them lacks.
#ifndef KVB_LOGS_LESSONS_H
#define KVB_LOGS_LESSONS_H

#include "logs/explain.h"

// The card's size, when two starts differ in utilization alone and all else that they print is equal: the difference of
// their KV caches is that share of it. False where that does not follow.
bool kvb_lesson_total(const struct kvb_log_report *one, const struct kvb_log_report *other, int64_t *total_bytes);

// The one setting that a start which became ready has otherwise than the failed one; not known where several differ.
struct kvb_log_lesson kvb_lesson_change(const struct kvb_log_report *failed, const struct kvb_log_report *worked);

// The remedy that the log itself proves.
void kvb_lesson_cure(struct kvb_reckoning *r);
// Takes the wrong remedies away that the proven one contradicts.
void kvb_lesson_uphold(struct kvb_reckoning *r);

#endif
