// What every scripted agent shares: it counts its calls and those that were answered right, and hands both in.
import { writeFileSync } from 'node:fs'

const calls = []

const record = (call, right, shown) =>
  calls.push({ call, right, ...(right ? {} : { got: String(shown).slice(0, 400) }) })

/** Makes a call and holds what came back against an expectation. A wrong answer is recorded, and the agent goes on. */
export const call = async (name, work, isRight = () => true) => {
  try {
    const answer = await work()
    record(name, isRight(answer) === true, JSON.stringify(answer))
    return answer
  } catch (error) {
    record(name, false, `${error.message} ${JSON.stringify(error.data ?? '')}`)
    return {}
  }
}

/** A call that the service must refuse in these words. */
export const refused = async (name, work, words) => {
  try {
    record(`${name} (refused)`, false, JSON.stringify(await work()))
  } catch (error) {
    const said = `${error.message} ${JSON.stringify(error.data ?? '')}`
    record(`${name} (refused)`, words.test(said), said)
  }
}

export const finish = () => {
  writeFileSync(`${process.env.WORK_DIR}/output.txt`, JSON.stringify(calls))
  process.exit(0)
}

process.on('unhandledRejection', (error) => {
  record('the agent itself', false, error.stack)
  finish()
})
process.on('uncaughtException', (error) => {
  record('the agent itself', false, error.stack)
  finish()
})
