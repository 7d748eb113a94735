import { ScorerDefinition } from '@diorama/contract'

const code = `import json
import os


def handler(input, output, expected, metadata):
    with open(os.path.join(os.environ["SANDBOX_INPUTS"], "world.json"), encoding="utf-8") as file:
        verifier = json.load(file)["verifier"]
    if verifier["error"] is not None:
        raise RuntimeError(verifier["error"])
    rewards = verifier["rewards"]
    named = "reward" in rewards
    score = rewards["reward"] if named else sum(rewards.values()) / len(rewards)
    if not 0 <= score <= 1:
        raise RuntimeError(f"The reward {score} is not between 0 and 1.")
    return {"score": score, "reason": verifier["reason"]}
`

/** The reward that the verifier of a task of others wrote; a task is passed with the whole of it. */
export const rewardScorer: ScorerDefinition = ScorerDefinition.parse({
  name: 'Reward of the verifier',
  slug: null,
  description: 'The reward that tests/test.sh wrote to /logs/verifier.',
  kind: 'code',
  language: 'python',
  code,
  passThreshold: 1,
})
