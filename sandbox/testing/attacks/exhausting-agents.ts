import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { survivors, textsOf } from '../conformance.ts'
import type { TrialUnderAttack } from '../trial-under-attack.ts'

/** A trial under attack, opened before the tests and closed after them. */
type Open = () => Promise<TrialUnderAttack>

export const describeExhaustingAgents = (open: Open): void => {
  let trial: TrialUnderAttack
  const attack: TrialUnderAttack['attack'] = (command, limits) => trial.attack(command, limits)
  const isRefused: TrialUnderAttack['isRefused'] = (command) => trial.isRefused(command)
  before(async () => {
    trial = await open()
  })
  after(async () => {
    await trial[Symbol.asyncDispose]()
  })

  describe('An agent cannot exhaust the machine', () => {
    test('artifacts by the thousand are cut at the limit', async () => {
      const { collected } = await attack('cd $WORK_DIR; for i in $(seq 3000); do : > f$i; done')
      assert.equal(collected.files.length, 20)
      assert.ok(collected.truncated)
    })

    test('an artifact of 10 GiB is refused, real or sparse', async () => {
      const { stdout, collected } = await attack(
        'cd $WORK_DIR; truncate -s 10G sparse 2>&1; head -c 10G /dev/zero > big; ls -l; echo small > output.txt',
      )
      assert.doesNotMatch(stdout.text, /\s10737418240\s/)
      assert.deepEqual(
        Object.keys(textsOf(collected.files)).sort(),
        ['output.txt', 'sparse'].filter((name) => textsOf(collected.files)[name] !== undefined),
      )
    })

    test('no writable folder holds more than its quota', async () => {
      const script =
        'for d in $WORK_DIR /tmp $HOME /dev/shm; do for i in 1 2 3 4; do head -c 30000000 /dev/zero > $d/$i; done; du -sk $d; rm $d/?; done 2>/dev/null'
      const { stdout } = await attack(script, { workBytes: 50_000_000, homeBytes: 50_000_000 })
      const sizes = [...stdout.text.matchAll(/^(\d+)/gm)].map((match) => Number(match[1]))
      assert.equal(sizes.length, 4)
      assert.ok(
        sizes.every((size) => size < 70_000),
        stdout.text,
      )
    })

    test('files without number end the job', async () => {
      const make = 'import os\nfor n in range(10**7): os.close(os.open("/tmp/%d" % n, os.O_CREAT))'
      assert.equal((await attack(`python3 -S -c '${make}'`, { workFiles: 3_000 })).ended, 'files')
    })

    test('a fork bomb is held, ends, and leaves nothing', async () => {
      const mark = `bomb${process.pid}`
      const outcome = await attack(`sh -c 'b() { b | b & }; b; : ${mark}; sleep 300'`, {
        wallMs: 2_000,
        processes: 64,
      })
      assert.ok(['timeout', 'exited', 'killed'].includes(outcome.ended))
      assert.ok(outcome.usage.peakProcesses <= 64 + 24)
      assert.deepEqual(survivors(mark), [])
    })

    test('memory in one process or in many is held', async () => {
      const limits = { memoryBytes: 200 * 2 ** 20, fileBytes: 10_000_000, workBytes: 50_000_000 }
      const one = await attack('python3 -S -c "x = bytes([1]) * 10**9; print(len(x))"', limits)
      assert.equal(one.ended, 'memory', 'however short it had it')
      const hog =
        'x = bytearray(10**8)\nfor i in range(0, len(x), 4096): x[i] = 1\nimport time; time.sleep(20)'
      const many = await attack(`for i in 1 2 3 4 5 6; do python3 -S -c '${hog}' & done; wait`, limits)
      assert.equal(many.ended, 'memory')
    })

    test('memory that belongs to no process and no folder cannot be had', () =>
      isRefused('python3 attack.py memory; python3 attack.py segment'))

    test('a processor hog that ignores signals ends at its time', async () => {
      const outcome = await attack(`trap '' TERM INT HUP; while :; do :; done`, { wallMs: 800 })
      assert.equal(outcome.ended, 'timeout')
    })

    test('daemons in separate sessions do not survive', async () => {
      const mark = `daemon${process.pid}`
      const daemon = `import os,time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"${mark}"; time.sleep(300)`
      await attack(`python3 -S -c '${daemon}'; sleep 0.1`)
      assert.deepEqual(survivors(mark), [])
    })

    test('killing everything it can only ends itself; the launcher hears nothing of it', async () => {
      for (let attempt = 0; attempt < 5; attempt++) {
        const outcome = await attack('kill -9 1; kill -9 $$; sleep 5')
        assert.equal(outcome.ended, 'killed', 'never the platform’s fault, however quick it was')
        assert.deepEqual(outcome.collected.files, [])
      }
      const kept = await attack(
        'echo kept > $WORK_DIR/output.txt; kill -9 1; kill -TERM 1; kill -STOP 1; exit 3',
      )
      assert.deepEqual([kept.exitCode, kept.collected.files.length], [3, 1])
      const all = await attack('kill -9 -1; sleep 5')
      assert.ok(['killed', 'exited'].includes(all.ended))
      assert.equal((await attack('echo fine')).stdout.text, 'fine\n')
    })

    test('an endless flood of output is cut and ended', async () => {
      const outcome = await attack('yes', { outputBytes: 10_000 })
      assert.equal(outcome.ended, 'output')
      assert.equal(outcome.stdout.text.length, 10_000)
    })

    test('hundreds of open connections cost only its own trial', async () => {
      const flood =
        'import socket\ns=[]\nfor i in range(900):\n  c=socket.socket(); c.settimeout(1)\n  try: c.connect(("127.0.0.1",3128)); s.append(c)\n  except OSError: break\nprint(len(s) > 0)'
      const { stdout } = await attack(`python3 -S -c '${flood}'`)
      assert.equal(stdout.text, 'True\n')
      assert.equal((await attack('curl -s https://twin.example/')).stdout.text, 'twin')
    })
  })
}
