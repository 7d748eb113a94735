import type { Page } from 'playwright-core'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly tdur?: number
}

export interface Scrolled {
  /** Frames a second, as the page counted them. */
  readonly rate: number
  /** Milliseconds of work that a frame took of the page's own thread: of most of them, and of the worst in a hundred. */
  readonly median: number
  readonly worst: number
}

const categories = 'devtools.timeline,disabled-by-default-devtools.timeline,blink'

/** What the page's own thread worked between one frame and the next, from a browser's trace. */
const workOfFrames = (events: readonly TraceEvent[]): number[] => {
  const frames = events.filter(({ name, ph }) => ph === 'X' && name === 'WebFrameWidgetImpl::BeginMainFrame')
  const [first] = frames
  if (!first) return []
  const tasks = events.filter(
    ({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && pid === first.pid && tid === first.tid,
  )
  return frames.slice(0, -1).map(({ ts }, index) => {
    const end = frames[index + 1]?.ts ?? ts
    const during = tasks.filter((task) => task.ts >= ts && task.ts < end)
    return during.reduce((sum, { tdur }) => sum + (tdur ?? 0), 0) / 1_000
  })
}

/** Frames a second of the same page while nothing on it moves: what the machine leaves to the browser just now. */
export const idleRate = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
    const start = await frame()
    let last = start
    let frames = 0
    while (last - start < 1_000) {
      last = await frame()
      frames += 1
    }
    return frames / ((last - start) / 1_000)
  })

/** Scrolls a list upwards for three seconds, some rows a frame, and traces what it takes. */
export const scrollTraced = async (page: Page, list: string): Promise<Scrolled> => {
  const session = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  // The types of the protocol say no more of an event than that it is an object.
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await session.send('Tracing.start', { categories, transferMode: 'ReportEvents' })
  const rate = await page.locator(list).evaluate(async (element) => {
    const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
    const start = await frame()
    let last = start
    let frames = 0
    while (last - start < 3_000) {
      element.scrollTop -= 90
      last = await frame()
      frames += 1
    }
    return frames / ((last - start) / 1_000)
  })
  const over = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()))
  await session.send('Tracing.end')
  await over
  await session.detach()
  const work = workOfFrames(events).toSorted((a, b) => a - b)
  const at = (share: number) => work[Math.floor(work.length * share)] ?? Number.NaN
  return { rate, median: at(0.5), worst: at(0.99) }
}
