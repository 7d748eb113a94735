import { styleText } from 'node:util'

/** What a command sees of the world around it. */
export interface Terminal {
  /** What was asked for. */
  readonly out: (text: string) => void
  /** What is said on the way: progress, notes, errors. */
  readonly err: (text: string) => void
  readonly colour: { readonly out: boolean; readonly err: boolean }
  /** Whether a line of the errors can be drawn again. */
  readonly isLive: boolean
  readonly columns: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly now: () => number
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal
  /** Aborts when the reader of the output is gone, as after `| head`. */
  readonly readerGone: AbortSignal
}

type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold'
export type Paint = (style: Style, text: string) => string

/** Colours text, where colours are wanted. */
export const painter =
  (colour: boolean): Paint =>
  (style, text) =>
    colour ? styleText(style, text, { validateStream: false }) : text

/** NO_COLOR and FORCE_COLOR decide before the stream does. */
export const wantsColour = (
  env: Readonly<Record<string, string | undefined>>,
  stream: { isTTY?: boolean | undefined },
): boolean => {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return stream.isTTY === true && env.TERM !== 'dumb'
}
