/** Runs pieces of work one after the other, in the order in which they came: a mutex with a queue. */
export const createSerial = (): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work)
    last = run.catch(() => undefined)
    return run
  }
}
