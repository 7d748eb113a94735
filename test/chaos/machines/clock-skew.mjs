// Loaded before the service (`--import`): its wall clock, in every thread, is off by CHAOS_CLOCK_SKEW_MS. The clock of the
// kernel is shared by all namespaces, so a machine with a wrong one is made here. The monotonic clock is left alone.
const skewMs = Number(process.env.CHAOS_CLOCK_SKEW_MS ?? '0')
const RealDate = Date

class SkewedDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + skewMs)
    else super(...args)
  }
  static now() {
    return RealDate.now() + skewMs
  }
}
globalThis.Date = SkewedDate
