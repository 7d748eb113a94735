import type { Source } from '../sources.ts'

const call = /\blog\.(?:info|warn|error)\(/g
const firstFact = /^\s*\{\s*event: '([^']*)'/
const form = /^[a-z]+(?:_[a-z]+)*\.[a-z]+(?:_[a-z]+)*$/

/** Calls of a logger whose first fact is no literal event name such as `lease.lost`: an operator searches for it. */
export const namelessLogLines = (product: readonly Source[]): string[] =>
  product
    .filter(({ path }) => /^(server\/src|sandbox|twin-kit)\/.*\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(call)].flatMap(({ 0: written, index }) => {
        const event = firstFact.exec(text.slice(index + written.length))?.[1]
        if (event !== undefined && form.test(event)) return []
        const line = text.slice(0, index).split('\n').length
        return [`${path}:${line} logs ${event === undefined ? 'without an event name' : `"${event}"`}`]
      }),
    )
