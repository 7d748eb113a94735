const two = (value: number): string => String(value).padStart(2, '0')

/** What a user gives as a time: without an offset it is in the user's time zone, as it was printed. */
export const momentOf = (text: string): string => {
  const local = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)
  const at = new Date(text.replace(' ', 'T'))
  return local && !Number.isNaN(at.getTime()) ? at.toISOString() : text
}

/** A moment in the time zone of the reader (TZ), such as 2026-03-02 10:00:00; JSON keeps the service's UTC. */
export const localTime = (moment: string): string => {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return moment
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`
}
