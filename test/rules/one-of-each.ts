import type { Source } from '../sources.ts'

interface Single {
  readonly idea: string
  /** How a second implementation would look. */
  readonly form: RegExp
  /** The file that has it, and those that cannot import it, each with the reason. */
  readonly files: Readonly<Record<string, string>>
}

const singles: readonly Single[] = [
  {
    idea: 'the test for a JSON object',
    form: /typeof ([\w.]+) === 'object' && \1 !== null && !Array\.isArray\(\1\)|\bisRecord = \(/,
    files: {
      'twin-kit/records.ts': 'isRecord',
      'cli/bench/assertions.ts': 'its text is sent as a scorer, without imports',
    },
  },
  {
    idea: 'the reader of server-sent events',
    form: /startsWith\('data:|\/\^data:[^/]*\(|=== 'data'\) \w+\.push/,
    files: {
      'contract/server-sent-events.ts': 'readMessages and messagesIn',
      'bench/models/bench.ts': "the text of an agent's program, which runs without our modules",
      'server/src/evaluations/trial/model-calls.slow.test.ts': 'the same',
    },
  },
  {
    idea: 'the reader of XML',
    form: /\bDOMParser\b|\bparseXml = |<\(\\\/\?\)\(/,
    files: { 'twin-kit/wires/xml.ts': 'parseXml' },
  },
  {
    idea: 'the rule of idempotency keys',
    form: /ApiError\(\s*'idempotency_conflict'|\[A-Za-z0-9\._:-\]/,
    files: {
      'server/src/http/idempotency/once-for-key.ts': 'onceForKey',
      'contract/idempotency-key.ts': 'the form of a key',
    },
  },
  {
    idea: 'the wait for a condition in tests',
    form: /\b(?:const|function) (?:eventually|waitUntil)\b/,
    files: { 'test/eventually.ts': 'eventually' },
  },
]

/** Second implementations of what the repository has once, and reasons that nothing needs any more. */
export const secondOnes = (sources: readonly Source[], list = singles): string[] =>
  list.flatMap(({ idea, form, files }) => {
    const found = sources
      .filter(
        ({ path, text }) =>
          /\.(ts|tsx|mjs)$/.test(path) && !/^test\/(rules\/|tidy)/.test(path) && form.test(text),
      )
      .map(({ path }) => path)
    return [
      ...found.filter((path) => !(path in files)).map((path) => `${path} has ${idea} once more`),
      ...Object.keys(files)
        .filter((path) => !found.includes(path))
        .map((path) => `${path} no longer has ${idea}`),
    ]
  })
