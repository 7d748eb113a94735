import { SandboxFault } from '../sandbox.ts'

const maxJobsAtOnce = 1_000

/** A place among the jobs that run at once, and the user that a job of root's runs as; given back at the end. */
export interface JobUser extends Disposable {
  readonly place: number
  readonly uid: number
}

/** Users of one process never meet those of another on this machine, as their range follows the process id. */
export class JobUsers {
  readonly #first: number
  readonly #taken = new Set<number>()

  constructor(range: { first: number; processes: number }) {
    this.#first = range.first + (process.pid % range.processes) * maxJobsAtOnce
  }

  lease(): JobUser {
    for (let place = 0; place < maxJobsAtOnce; place++) {
      if (this.#taken.has(place)) continue
      this.#taken.add(place)
      return { place, uid: this.#first + place, [Symbol.dispose]: () => this.#taken.delete(place) }
    }
    throw new SandboxFault(`More than ${maxJobsAtOnce} jobs at once: wait for some to end.`)
  }
}
