import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { survivors, textsOf } from '../testing/conformance.ts'
import { openTrialUnderAttack, type TrialUnderAttack } from '../testing/trial-under-attack.ts'

let trial: TrialUnderAttack
before(async () => {
  trial = await openTrialUnderAttack(process.env.PATH ?? '')
})
after(async () => {
  await trial[Symbol.asyncDispose]()
})

describe('Under load and under hostile silence', () => {
  test('200 jobs, 32 at a time, all end with their own answer', async () => {
    let next = 0
    let good = 0
    const worker = async () => {
      while (next < 200) {
        const n = next++
        const outcome = await trial.sandbox.run({
          command: `echo ${n} > $WORK_DIR/output.txt`,
          limits: {
            wallMs: 60_000,
            memoryBytes: 2 ** 28,
            processes: 32,
            fileBytes: 2 ** 20,
            outputBytes: 2 ** 16,
            workBytes: 2 ** 22,
            workFiles: 100,
          },
          network: 'none',
          collect: { maxFiles: 5, maxBytes: 1000 },
        })
        if (textsOf(outcome.collected.files)['output.txt'] === `${n}\n`) good++
      }
    }
    await Promise.all(Array.from({ length: 32 }, worker))
    assert.equal(good, 200)
  })

  test('an agent that stops itself and tries to stop the launcher is ended at its time', async () => {
    const mark = `stopper${process.pid}`
    const outcome = await trial.attack(`kill -STOP 1; kill -KILL 1; sh -c 'sleep 300; : ${mark}'`, {
      wallMs: 1_000,
    })
    assert.equal(outcome.ended, 'timeout')
    assert.deepEqual(survivors(mark), [])
  })

  test('orphans by the thousand are buried, and do not use up the agent’s processes', async () => {
    const { stdout } = await trial.attack(
      'for i in $(seq 1000); do (true &) ; done; sleep 0.2; echo still here',
      { processes: 40 },
    )
    assert.equal(stdout.text, 'still here\n')
  })
})
