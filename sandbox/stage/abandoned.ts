import { stat } from 'node:fs/promises'

/**
 * Whether something that names its maker's process was left behind by one that was killed. In a container a service
 * has the same number after every start: what carries ours but is older than we are is not ours.
 */
export const isAbandoned = async (path: string, maker: number): Promise<boolean> => {
  if (maker !== process.pid) return (await stat(`/proc/${maker}`).catch(() => undefined)) === undefined
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.ctimeMs < performance.timeOrigin
}
