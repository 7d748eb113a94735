import { markHeaders } from './api.ts'

/** Hands bytes to the reader as a file. */
export const saveFile = (blob: Blob, name: string): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Fetches a file of the service and hands it to the reader; an error is thrown, never saved in the file's place. */
export const saveFrom = async (address: string, name: string): Promise<void> => {
  const reply = await fetch(address, { headers: markHeaders })
  if (!reply.ok) throw new Error(`The file could not be read (${reply.status}).`)
  saveFile(await reply.blob(), name)
}
