interface OwnArguments {
  readonly curl: string
  readonly typescript: string
  readonly python: string
}

/** A company is a document in a file, too long for an example: these operations read it from there. */
export const blueprintSamples = (name: string): OwnArguments | undefined =>
  name === 'launchWorld' || name === 'validateBlueprint'
    ? {
        curl: `--header 'Content-Type: application/json' \\
  --data "{\\"blueprint\\": $(cat company.json)}"`,
        typescript: "{ blueprint: JSON.parse(await readFile('company.json', 'utf8')) }",
        python: 'blueprint=json.loads(Path("company.json").read_text())',
      }
    : undefined
