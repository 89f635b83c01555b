import type { Provider, ProviderId } from '../models/provider.ts';
import { anthropic } from './anthropic.ts';
import { compatible, llamaCpp, lmStudio } from './compatible.ts';
import { google } from './google.ts';
import { ollama } from './ollama/ollama.ts';
import { openAi, openAiChat } from './openAi.ts';
import { openRouter } from './openRouter.ts';

/** The providers that the host reaches itself. Those of the editor are served by the client. */
export const PROVIDERS: Readonly<Record<Exclude<ProviderId, 'vscode'>, Provider>> = {
  ollama,
  lmstudio: lmStudio,
  llamacpp: llamaCpp,
  anthropic,
  openai: openAi,
  'openai-chat': openAiChat,
  google,
  openrouter: openRouter,
  'openai-compatible': compatible,
};
