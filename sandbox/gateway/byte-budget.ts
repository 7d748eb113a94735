/** A share of a budget; given back once. */
export interface HeldBytes extends Disposable {
  /** Corrects the share to what is really held. It never waits: the holder of a share must be able to finish. */
  resize(bytes: number): void
}

/** The budget stayed exhausted for too long. */
export class BudgetExhausted extends Error {
  override readonly name = 'BudgetExhausted'
}

interface Waiter {
  readonly bytes: number
  readonly admit: () => void
}

/**
 * A semaphore that counts bytes, first come, first served. It bounds the memory that one trial can make the service hold:
 * a request that does not fit waits, and while it waits its bytes stay in the sender's buffers (backpressure).
 */
export class ByteBudget {
  readonly #limitBytes: number
  readonly #waiters: Waiter[] = []
  #heldBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  async hold(bytes: number, timeoutMs: number): Promise<HeldBytes> {
    const wanted = Math.min(bytes, this.#limitBytes)
    if (this.#waiters.length > 0 || !this.#fits(wanted)) await this.#wait(wanted, timeoutMs)
    else this.#heldBytes += wanted
    let held = wanted
    return {
      resize: (now) => {
        this.#change(now - held)
        held = now
      },
      [Symbol.dispose]: () => {
        this.#change(-held)
        held = 0
      },
    }
  }

  #fits(bytes: number): boolean {
    return this.#heldBytes + bytes <= this.#limitBytes
  }

  #wait(bytes: number, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(
          new BudgetExhausted('The gateway holds too much of this trial; read replies and finish requests.'),
        )
        this.#admit()
      }, timeoutMs)
      const admit = () => {
        clearTimeout(timer)
        this.#heldBytes += bytes
        resolve()
      }
      const waiter = { bytes, admit }
      this.#waiters.push(waiter)
    })
  }

  #change(bytes: number): void {
    this.#heldBytes += bytes
    this.#admit()
  }

  #admit(): void {
    for (let next = this.#waiters[0]; next && this.#fits(next.bytes); next = this.#waiters[0]) {
      this.#waiters.shift()
      next.admit()
    }
  }
}
