// The bad news of a log: what each kind of line does to the attempt it stands in.
#ifndef KVB_LOGS_TROUBLE_H
#define KVB_LOGS_TROUBLE_H

#include "logs/run.h"

void kvb_attempt_fail(struct kvb_attempt *attempt, enum kvb_failure kind, const struct kvb_log_hit *hit, bool inferred);
// The last line of an exception, a traceback or a frame; 0 = none.
uint64_t kvb_last_trouble(const struct kvb_attempt *attempt);
// Releases and side of the process from the stamp of the line.
void kvb_read_stamp(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);

// Each takes a line of its kind into the attempt that it stands in; nothing is kept of the hit's text but copies.
void kvb_take_trace(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_take_oom(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_take_failure(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_take_wrapper(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_take_exception(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_take_request_error(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_take_frame(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_take_error_record(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_take_death(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_take_recovered(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_take_stop(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);
void kvb_take_traceback(struct kvb_attempt *attempt, const struct kvb_log_hit *hit);

#endif
