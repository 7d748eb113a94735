/** A reporter that lists the files of tests that failed, one a line, in no order and with repetitions. */
export default async function* failedFiles(events) {
  for await (const { type, data } of events) if (type === 'test:fail' && data.file) yield `${data.file}\n`
}
