import Own.Ledger
import Own.Signals
import Own.Schedules
