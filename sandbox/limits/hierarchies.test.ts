import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findHierarchies } from './hierarchies.ts'

const unifiedMount = '29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate'

describe('Our place among control groups', () => {
  test('is found in a service of the second generation', () => {
    const place = { folder: '/sys/fs/cgroup/system.slice/a.service', generation: 2, isTop: false } as const
    assert.deepEqual(findHierarchies('0::/system.slice/a.service\n', unifiedMount), {
      memory: place,
      pids: place,
      cpu: place,
    })
  })

  test('is the topmost one in a container that has its own view', () => {
    const place = { folder: '/sys/fs/cgroup', generation: 2, isTop: true } as const
    assert.deepEqual(findHierarchies('0::/\n', unifiedMount), { memory: place, pids: place, cpu: place })
  })

  test('is found where each controller has its own tree, also when only a part of it is mounted', () => {
    const groups = '8:pids:/\n4:memory:/docker/abc/job\n1:cpu,cpuacct:/\n0::/\n'
    const mounts = [
      '31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
      '33 30 0:29 /docker/abc /sys/fs/cgroup/memory rw master:12 shared:9 - cgroup cgroup rw,memory',
      '35 30 0:31 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
      '36 30 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
    ].join('\n')
    assert.deepEqual(findHierarchies(groups, mounts), {
      memory: { folder: '/sys/fs/cgroup/memory/job', generation: 1, isTop: false },
      pids: { folder: '/sys/fs/cgroup/pids', generation: 1, isTop: true },
      cpu: { folder: '/sys/fs/cgroup/cpu,cpuacct', generation: 1, isTop: true },
    })
  })

  test('is nowhere when nothing is mounted, or only what lies beside us', () => {
    assert.deepEqual(findHierarchies('0::/a\n', ''), {})
    assert.deepEqual(findHierarchies('0::/a\n', unifiedMount.replace(' / ', ' /b ')), {})
    assert.deepEqual(findHierarchies('', ''), {})
  })
})
