import { isForTests, type Source } from '../sources.ts'

/**
 * A test that waits for a fixed time either asserts that nothing happened, which proves nothing, or fails on a busy
 * machine. These wait for another reason.
 */
const reasons: Readonly<Record<string, string>> = {
  'test/eventually.ts': 'the pause between two looks',
  'test/chaos/workload/api.ts': 'the pause between two attempts of a call',
  'test/chaos/workload/clients.ts': 'clients of an ordinary pace',
  'test/chaos/faults/faults.ts': 'how long a fault lasts',
  'console/ledger.browser.slow.test.ts': 'a list is scrolled by steps, and each is drawn',
  'sandbox/story/story-time.test.ts': 'the server is the slow one; the client must not notice',
  'sandbox/verifier/hostile-scorers.test.ts': 'the text of a scorer that throws late',
  'server/src/evaluations/trial/story/testing-ledger.ts': 'looks twice a second at evaluations of minutes',
  'server/src/evaluations/worker/crash.slow.test.ts': 'kills at random moments',
  'server/src/models/wires/clients.test.ts': 'a provider sends its pieces apart',
  'server/src/storage/storage.test.ts': 'turns of the event loop between two statements',
  'server/src/storage/testing/crash-child.ts': 'retries while the database is down',
  'server/src/storage/testing/crash.slow.test.ts': 'kills at random moments',
  'server/src/storage/testing/testing-server.ts': 'retries until the shared database is up',
  'server/src/telemetry/crash.slow.test.ts': 'kills at random moments',
  'server/src/telemetry/events/stream.slow.test.ts': 'cuts readers at random moments',
  'server/src/twins/crash.slow.test.ts': 'kills at random moments',
}

const wait =
  /await (?:pause|sleep|delay|setTimeout)\(|\bsetTimeout\((?:resolve|r|done|go|ok|next),|waitForTimeout\(/

/** Waits of a fixed time in tests, outside the programs that tests hand to a sandbox; and reasons that are not needed. */
export const fixedWaits = (sources: readonly Source[], allowed = reasons): string[] => {
  const found = sources
    .filter(({ path }) => /\.(ts|mjs)$/.test(path) && (isForTests(path) || path.startsWith('test/')))
    .filter(({ path }) => !/^test\/(rules\/|tidy)/.test(path))
    .filter(({ text }) => wait.test(text.replace(/`(?:\\.|[^`\\])*`/gs, '``')))
    .map(({ path }) => path)
  return [
    ...found.filter((path) => !(path in allowed)).map((path) => `${path} waits for a fixed time`),
    ...Object.keys(allowed)
      .filter((path) => !found.includes(path))
      .map((path) => `${path} no longer waits for a fixed time`),
  ]
}
