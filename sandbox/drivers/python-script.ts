/** Runs a script of ours in Python: isolated, without site packages, from its compiled form. */
export const pythonScript = (python: string, scripts: string, name: string): string[] => {
  const program = `import sys; sys.path.insert(0, ${JSON.stringify(scripts)}); import ${name}; ${name}.main()`
  return [python, '-I', '-S', '-B', '-c', program]
}
