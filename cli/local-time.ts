const two = (value: number): string => String(value).padStart(2, '0')

/** A moment in the time zone of the reader (TZ), such as 2026-03-02 10:00:00; JSON keeps the service's UTC. */
export const localTime = (moment: string): string => {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return moment
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`
}
