import assert from 'node:assert/strict'
import { it, mock } from 'node:test'
import { openDebounce } from './debounce.ts'

it('a message goes out at once, and its repetitions within the gap as one when the gap is over', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const sent: string[] = []
    const { send, settle } = openDebounce(5, async (message) => void sent.push(message))
    const first = send('a')
    assert.deepEqual(sent, ['a'])
    const more = [send('a'), send('a'), send('b')]
    assert.deepEqual(sent, ['a', 'b'])
    mock.timers.tick(5)
    await Promise.all([first, ...more])
    assert.deepEqual(sent, ['a', 'b', 'a'])
    const last = send('a')
    assert.equal(sent.length, 3)
    await settle()
    await last
    assert.deepEqual(sent, ['a', 'b', 'a', 'a'])
  } finally {
    mock.timers.reset()
  }
})

it('a message whose repetition cannot be sent fails for all that wait for it, and no one else', async () => {
  let broken = false
  const { send, settle } = openDebounce(60_000, async () => {
    if (broken) throw new Error('no connection')
  })
  await send('a')
  broken = true
  const waiting = [send('a'), send('a')]
  await settle()
  for (const one of waiting) await assert.rejects(one, /no connection/)
})
