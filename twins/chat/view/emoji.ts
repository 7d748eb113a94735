import { createContext, useContext, useEffect, useState } from 'react'

type Faces = ReadonlyMap<string, string>

const Known = createContext<Faces>(new Map())
export const FacesProvider = Known.Provider

/** Emoji by their names; the table is loaded with the first chat that is looked at. */
export const useFaces = (): Faces => {
  const [faces, setFaces] = useState<Faces>(new Map())
  useEffect(() => {
    let isGone = false
    void import('../data/emoji.generated.json').then(({ default: table }) => {
      const named = Object.entries(table).flatMap(([face, names]) =>
        names.split(' ').map((name) => [name, face] as const),
      )
      if (!isGone) setFaces(new Map(named))
    })
    return () => {
      isGone = true
    }
  }, [])
  return faces
}

/** Machines without a font for emoji show empty boxes; where an emoji draws no colour its name is shown instead. */
const drawsFaces = ((): boolean => {
  const canvas = document.createElement('canvas')
  canvas.width = 16
  canvas.height = 16
  const pen = canvas.getContext('2d', { willReadFrequently: true })
  if (!pen) return false
  pen.font = '14px sans-serif'
  pen.fillText('👍', 0, 13)
  const { data } = pen.getImageData(0, 0, 16, 16)
  for (let at = 0; at < data.length; at += 4) if (data[at] !== data[at + 2]) return true
  return false
})()

/** Shows a name as its emoji, or in words where none can be drawn; one that is not known is shown as it was written. */
export const useFaceOf = (): ((name: string) => string) => {
  const faces = useContext(Known)
  return (name) => {
    const face = faces.get(name)
    if (face === undefined) return `:${name}:`
    return drawsFaces ? face : `(${name.replaceAll('_', ' ')})`
  }
}
