import type { NoticeButton } from '@diorama/twin-kit/kernel/twin'

const words = {
  yes: /^(approve|accept|agree|allow|confirm|grant|ok|okay|yes)\b/i,
  no: /^(cancel|decline|deny|disapprove|no|refuse|reject)\b/i,
}
const styles = { yes: 'primary', no: 'danger' } as const

/** The button that says so: by its label, and else by its colour where no label says the opposite. */
export const buttonFor = (
  answer: 'yes' | 'no',
  buttons: readonly NoticeButton[],
): NoticeButton | undefined => {
  const opposite = answer === 'yes' ? words.no : words.yes
  return (
    buttons.find(({ label }) => words[answer].test(label.trim())) ??
    buttons.find(({ label, style }) => style === styles[answer] && !opposite.test(label.trim()))
  )
}
