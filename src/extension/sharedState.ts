import * as vscode from 'vscode';
import type { StartState, WorkspaceState } from '../webview/messages/chatState.ts';
import type { SharedState } from './chat/chatStates.ts';
import { readSetting } from './setup/settings.ts';

export type ProblemCounts = Pick<WorkspaceState, 'brokenRules' | 'waitingRules'>;

/** The state that all sessions of the window share: model, workspace and chat options. */
export function sharedState(problems: ProblemCounts, start: StartState): SharedState {
  const { workspace } = vscode;
  return {
    header: {
      model: process.env['GATEHOUSE_MODEL_ID'] || readSetting(workspace, 'model.id'),
      tour: process.env['GATEHOUSE_TOUR'] === '1',
      start,
    },
    workspace: {
      trusted: workspace.isTrusted,
      folder: (workspace.workspaceFolders ?? []).length > 0,
      ...problems,
    },
    options: {
      sendKey: readSetting(workspace, 'chat.sendKey'),
      expandTools: readSetting(workspace, 'chat.expandTools'),
      answerInChat: readSetting(workspace, 'ask.surface') !== 'quickPick',
    },
  };
}
