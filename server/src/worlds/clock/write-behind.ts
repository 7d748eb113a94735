/** Saves something that changes often without anybody waiting for it: one save at a time, and the latest always last. */
export const createWriteBehind = (
  save: () => Promise<void>,
  failed: (error: unknown) => void,
): (() => void) => {
  let isSaving = false
  let isUnsaved = false
  const run = async (): Promise<void> => {
    isSaving = true
    try {
      while (isUnsaved) {
        isUnsaved = false
        await save()
      }
    } catch (error) {
      failed(error)
    } finally {
      isSaving = false
    }
  }
  return () => {
    isUnsaved = true
    if (!isSaving) void run()
  }
}
