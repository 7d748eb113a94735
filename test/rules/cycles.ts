import { importsOf } from '../imports.ts'
import { isCode, isForTests, type Source } from '../sources.ts'

/** Groups of files that import each other in a circle (Tarjan's strongly connected components). */
export const importCycles = (sources: readonly Source[]): string[] => {
  const graph = graphOf(sources.filter((source) => isCode(source) && !isForTests(source.path)))
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[] = []
  const visit = (path: string): number => {
    const own = order.size
    order.set(path, own)
    stack.push(path)
    let low = own
    for (const next of graph.get(path) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (stack.includes(next)) low = Math.min(low, order.get(next) ?? own)
    }
    lowest.set(path, low)
    if (low !== own) return low
    const circle = stack.splice(stack.indexOf(path))
    if (circle.length > 1) cycles.push(circle.sort().join(' and '))
    return low
  }
  for (const path of graph.keys()) if (!order.has(path)) visit(path)
  return cycles.map((circle) => `${circle} import each other`)
}

const graphOf = (sources: readonly Source[]): Map<string, string[]> => {
  const paths = new Set(sources.map(({ path }) => path))
  const fileOf = (target: string) =>
    [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`].find((path) => paths.has(path))
  return new Map(
    sources.map((source) => [
      source.path,
      importsOf(source).flatMap(({ ours, target }) => (ours ? (fileOf(target) ?? []) : [])),
    ]),
  )
}
