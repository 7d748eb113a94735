/** Whether a request of so many bytes may be answered. */
type Admit = (bytes: number) => boolean

/** Limits on the requests to twins, set from outside for as long as somebody works with them. */
export interface RequestLimits {
  /** Until it is disposed of, requests to these twins are answered only where `admit` agrees. */
  readonly limit: (twinIds: readonly string[], admit: Admit) => Disposable
  readonly admits: (twinId: string, bytes: number) => boolean
}

export const createRequestLimits = (): RequestLimits => {
  const limits = new Map<string, Admit>()
  return {
    limit: (twinIds, admit) => {
      for (const id of twinIds) limits.set(id, admit)
      return {
        [Symbol.dispose]: () => {
          for (const id of twinIds) limits.delete(id)
        },
      }
    },
    admits: (twinId, bytes) => limits.get(twinId)?.(bytes) ?? true,
  }
}
