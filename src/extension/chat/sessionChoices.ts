import type {
  SessionConfigOption,
  SessionUpdate,
  SetSessionConfigOptionRequest,
} from '@agentclientprotocol/sdk';
import type * as vscode from 'vscode';
import type { ChoiceValue, SessionChoice } from '../../webview/messages/chatState.ts';
import type { HostLink } from '../host/hostLink.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import { toPlainLine } from '../text/plainMarkdown.ts';
import type { Translate } from '../text/translate.ts';
import type { ChatSession } from './chatSession.ts';
import type { Chats } from './chats.ts';

/** The choices that an agent offers for a session. Options of types that ACP adds later are left out. */
export function toChoices(options: readonly SessionConfigOption[]): readonly SessionChoice[] {
  return options.flatMap((option): readonly SessionChoice[] => {
    if (option.type === 'boolean') {
      const { id, name, currentValue: on } = option;
      return [{ id, name, current: undefined, values: [], on }];
    }
    if (option.type !== 'select') return [];
    const values = option.options.flatMap((each): readonly ChoiceValue[] =>
      'options' in each
        ? each.options.map((value) => toValue(value, each.name))
        : [toValue(each, undefined)],
    );
    const current = values.find(({ value }) => value === option.currentValue);
    return [{ id: option.id, name: option.name, current, values }];
  });
}

/** The options of a reply as the update that an agent sends when they change. */
export function toOptionUpdate(configOptions: SessionConfigOption[]): SessionUpdate {
  return { sessionUpdate: 'config_option_update', configOptions };
}

function toValue(
  {
    value,
    name,
    description,
  }: { readonly value: string; readonly name: string; readonly description?: string | null },
  group: string | undefined,
): ChoiceValue {
  return {
    value,
    name,
    ...(description && { description: toPlainLine(description) }),
    ...(group !== undefined && { group }),
  };
}

export interface ChoiceParts {
  readonly window: ChoiceWindow;
  readonly chats: Pick<Chats, 'ensure'>;
  readonly link: Pick<HostLink, 'connection'>;
  readonly t: Translate;
}

/** The setting to change; all are listed first without its id. `on`: what a switch is set to at once. */
export interface ChoiceRequest {
  readonly id?: string;
  readonly on?: boolean;
}

/**
 * Lets the user change a setting of a session, which the host creates if the chat is new. Rejects with
 * the agent's reason if it refuses the value.
 */
export async function choose(
  { window, chats, link, t }: ChoiceParts,
  session: ChatSession,
  request: ChoiceRequest = {},
): Promise<void> {
  const sessionId = await chats.ensure(session);
  const chosen = await pickChoice(window, session.state.choices ?? [], request, t);
  if (chosen === undefined) return;
  const connection = await link.connection();
  const { configOptions } = await connection.setConfigOption(toChange(sessionId, chosen));
  session.update(toOptionUpdate(configOptions));
}

/** Asks another model what failed, from now on in this session. Rejects with the agent's reason. */
export async function useNext(
  { chats, link }: Pick<ChoiceParts, 'link'> & { readonly chats: Pick<Chats, 'ensure' | 'retry'> },
  session: ChatSession,
  ref: string,
): Promise<void> {
  const sessionId = await chats.ensure(session);
  const connection = await link.connection();
  const change = toChange(sessionId, { id: 'model', value: ref });
  const { configOptions } = await connection.setConfigOption(change);
  session.update(toOptionUpdate(configOptions));
  await chats.retry(session);
}

/** What the user chose. */
interface Chosen {
  readonly id: string;
  readonly value: string | boolean;
}

function toChange(sessionId: string, { id, value }: Chosen): SetSessionConfigOptionRequest {
  const option = { sessionId, configId: id };
  return typeof value === 'boolean' ? { ...option, type: 'boolean', value } : { ...option, value };
}

type ChoiceWindow = Pick<typeof vscode.window, 'showQuickPick'>;

/**
 * Lets the user choose a value in a quick pick, and before that the setting, unless `id` names it.
 * Undefined if nothing is to be changed.
 */
async function pickChoice(
  window: ChoiceWindow,
  choices: readonly SessionChoice[],
  { id, on }: ChoiceRequest,
  t: Translate,
): Promise<Chosen | undefined> {
  const choice = await pickSetting(window, choices, id, t);
  if (choice === undefined) return undefined;
  // A page that shows an older state may take a switch for a list, or the reverse.
  const value =
    on !== undefined && choice.on !== undefined ? on : await pickValue(window, choice, t);
  const before = choice.on ?? choice.current?.value;
  return value === undefined || value === before ? undefined : { id: choice.id, value };
}

async function pickValue(
  window: ChoiceWindow,
  choice: SessionChoice,
  t: Translate,
): Promise<string | boolean | undefined> {
  const picked = await window.showQuickPick(toItems(choice, t).map(toPlainRow), {
    title: choice.name,
    placeHolder: t('Applies to this session from the next step on'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.value;
}

async function pickSetting(
  window: ChoiceWindow,
  choices: readonly SessionChoice[],
  id: string | undefined,
  t: Translate,
): Promise<SessionChoice | undefined> {
  if (id !== undefined) return choices.find((each) => each.id === id);
  const items = choices.map((choice) =>
    toPlainRow({ ...{ label: choice.name, choice }, ...describeCurrent(choice, t) }),
  );
  const placeHolder = t('Select a setting of this session');
  return (await window.showQuickPick(items, { placeHolder }))?.choice;
}

function describeCurrent({ current, on }: SessionChoice, t: Translate) {
  const name = on === undefined ? current?.name : on ? t('On') : t('Off');
  return name === undefined ? {} : { description: name };
}

interface ValueItem extends vscode.QuickPickItem {
  readonly value?: string | boolean;
}

/** `QuickPickItemKind.Separator`. */
const SEPARATOR = -1;

/** The values under the headings of their groups. */
function toItems({ values, current, on }: SessionChoice, t: Translate): readonly ValueItem[] {
  if (on !== undefined) {
    return [true, false].map((value) => ({
      ...{ label: value ? t('On') : t('Off'), value },
      ...(value === on && { description: t('current') }),
    }));
  }
  return values.flatMap(({ value, name, description, group }, at) => {
    const isFirst = group !== undefined && group !== values[at - 1]?.group;
    const heading: ValueItem[] = isFirst ? [{ label: group, kind: SEPARATOR }] : [];
    const item: ValueItem = {
      ...{ label: name, value },
      ...(description !== undefined && { detail: description }),
      ...(value === current?.value && { description: t('current') }),
    };
    return [...heading, item];
  });
}
