import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/frame.css'
import './styles/palette.css'
import './styles/lists.css'
import './styles/tables.css'
import './styles/diffs.css'
import './styles/blueprint.css'
import './styles/world.css'
import './styles/twins.css'
import './styles/evaluation.css'
import './styles/results.css'
import './styles/suites.css'
import './styles/rest.css'
import './styles/wide.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Tooltip } from 'radix-ui'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './ask.ts'
import { allowStyles } from './nonce.ts'
import { router } from './router.tsx'
import { applyTheme } from './theme.ts'

allowStyles()
applyTheme()
const root = document.getElementById('root')
if (!root) throw new Error('the page has no root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Tooltip.Provider delayDuration={150}>
        <RouterProvider router={router} />
      </Tooltip.Provider>
    </QueryClientProvider>
  </StrictMode>,
)
