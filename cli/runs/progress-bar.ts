import type { Reply } from '@diorama/sdk/index.ts'
import { cut } from '../table.ts'
import { painter, type Terminal } from '../terminal.ts'

type Job = Reply<'readJob'>

const barWidth = 28

/** Draws the progress of an evaluation: one line that is drawn again on a terminal, a line for each change elsewhere. */
export const openProgress = (terminal: Terminal, quiet: boolean) => {
  const paint = painter(terminal.colour.err)
  const started = terminal.now()
  let last = ''
  const show = (job: Job): void => {
    if (quiet) return
    const { completedTrials: done, totalTrials: total, counts } = job
    const share = total === 0 ? 0 : done / total
    const full = Math.round(share * barWidth)
    const bar = paint('green', '█'.repeat(full)) + paint('dim', '░'.repeat(barWidth - full))
    const running = (counts.running ?? 0) + (counts.scoring ?? 0)
    const seconds = ((terminal.now() - started) / 1_000).toFixed(0)
    const text = `${done}/${total} trials${running > 0 ? `, ${running} running` : ''}`
    if (terminal.isLive)
      terminal.err(`\r\u001b[2K${bar} ${cut(`${text}  ${seconds} s`, terminal.columns - barWidth - 2)}`)
    else if (text !== last) terminal.err(`${text}\n`)
    last = text
  }
  const end = (): void => {
    if (!quiet && terminal.isLive && last !== '') terminal.err('\r\u001b[2K')
  }
  return { show, end }
}
