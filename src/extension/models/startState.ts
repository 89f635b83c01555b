import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import type { StartState } from '../../webview/messages/chatState.ts';
import type { Chats } from '../chat/chats.ts';
import { hasChanges } from '../git/gitChanges.ts';
import type { HostLink } from '../host/hostLink.ts';
import { readSetting } from '../setup/settings.ts';
import { toStartOffers } from '../setup/startOffers.ts';
import { findSuggestions, type SuggestionSources } from './suggestions.ts';

interface StartParts extends SuggestionSources {
  readonly link: Pick<HostLink, 'connection' | 'started' | 'onDidConnect'>;
  /** Called when the state is another one. */
  changed(): void;
  log(message: string): void;
}

/** What the window's empty chats offer. */
export function createStart({
  terminal,
  link,
  log,
  chats,
}: Pick<StartParts, 'terminal' | 'link'> & {
  readonly log: Pick<vscode.LogOutputChannel, 'warn'>;
  chats(): Pick<Chats, 'refresh'>;
}): ChatStart {
  return new ChatStart({
    ...{ terminal, link, changes: hasChanges, openFile: findOpenFile, t: vscode.l10n.t },
    tour: process.env['GATEHOUSE_TOUR'] === '1',
    isTrusted: () => vscode.workspace.isTrusted,
    changed: () => chats().refresh(),
    log: (message) => log.warn(message),
  });
}

function findOpenFile(): ReturnType<SuggestionSources['openFile']> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') return undefined;
  const { Error: error } = vscode.DiagnosticSeverity;
  const found = vscode.languages.getDiagnostics(uri);
  return {
    path: vscode.workspace.asRelativePath(uri),
    errors: found.filter(({ severity }) => severity === error).length,
  };
}

/** So often it looks for models again at most, in milliseconds. */
const LOOK_AGAIN_MS = 5000;

/** How long changes in the editor are collected, in milliseconds. */
const SETTLE_MS = 400;

/** What an empty chat offers. Looks for models once the host runs, which starts with the first page. */
class ChatStart implements Disposable {
  readonly #parts: StartParts;
  readonly #listeners: readonly Disposable[];
  #offers: StartState['offers'] | undefined;
  /** When it looked for models last, in milliseconds of the monotonic clock. */
  #looked = 0;
  #timer: NodeJS.Timeout | undefined;
  #next: NodeJS.Timeout | undefined;
  #shown = '';

  constructor(parts: StartParts) {
    this.#parts = parts;
    const later = () => this.#later();
    this.#listeners = [
      vscode.window.onDidChangeActiveTextEditor(later),
      vscode.languages.onDidChangeDiagnostics(later),
      vscode.workspace.onDidGrantWorkspaceTrust(later),
      parts.link.onDidConnect(() => void this.#state()),
      vscode.lm.onDidChangeChatModels(() => this.#lookAgain()),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.#lookAgain();
      }),
    ];
  }

  get state(): StartState {
    const state = this.#state();
    this.#shown = JSON.stringify(state);
    return state;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#next);
    for (const listener of this.#listeners) listener.dispose();
  }

  #state(): StartState {
    const model = readModel();
    if (model === '' && this.#offers === undefined && this.#parts.link.started) void this.#look();
    return {
      suggestions: findSuggestions(this.#parts),
      ...(model === '' && this.#offers && { offers: this.#offers }),
    };
  }

  /** Only what differs is sent, since every chat gets it. */
  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, SETTLE_MS);
  }

  #send(): void {
    if (JSON.stringify(this.#state()) !== this.#shown) this.#parts.changed();
  }

  /** A local server may have been started, or a model set up, while no model was chosen. */
  #lookAgain(): void {
    if (this.#offers === undefined || this.#next !== undefined || readModel() !== '') return;
    const rest = this.#looked + LOOK_AGAIN_MS - performance.now();
    this.#next = setTimeout(
      () => {
        this.#next = undefined;
        if (readModel() === '') void this.#look();
      },
      Math.max(0, rest),
    );
  }

  async #look(): Promise<void> {
    this.#offers ??= [];
    this.#looked = performance.now();
    try {
      const connection = await this.#parts.link.connection();
      const listing = await connection.call('models', { refresh: true, unasked: true });
      this.#offers = toStartOffers(listing, vscode.l10n.t);
      this.#send();
    } catch (error) {
      this.#parts.log(`Could not look for models: ${String(error)}`);
    }
  }
}

/** Empty while none is chosen. */
function readModel(): string {
  return process.env['GATEHOUSE_MODEL_ID'] || readSetting(vscode.workspace, 'model.id');
}
