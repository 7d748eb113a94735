import { ApiError } from '../api-error.ts'

/** Work that is abandoned with its caller: a later result or failure is ignored. */
export const whileWaited =
  <Given extends unknown[], Result>(work: (...given: [...Given, AbortSignal]) => Promise<Result>) =>
  async (...given: [...Given, AbortSignal]): Promise<Result> => {
    try {
      return await work(...given)
    } catch (error) {
      const signal = given.at(-1)
      if (!(signal instanceof AbortSignal) || !signal.aborted) throw error
      throw new ApiError('unavailable', 'The caller went away before this was done.')
    }
  }
