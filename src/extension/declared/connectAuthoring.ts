import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { HostLink } from '../host/hostLink.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import type { Translate } from '../text/translate.ts';
import { MANIFEST_SELECTOR } from './manifestSelector.ts';
import { newTool } from './newTool.ts';
import { toolEntries } from './toolEntries.ts';
import { isTried, tryTool } from './tryTool.ts';

export interface AuthoringParts {
  readonly link: HostLink;
  readonly t: Translate;
  readonly session: () => string | undefined;
  /** Called when *New Tool…* created a manifest. */
  created(): void;
}

/** The *New Tool…* wizard, and the *Try Tool* code lens of each declared tool. */
export interface Authoring extends vscode.Disposable {
  newTool(): Promise<void>;
  tryTool(tried: unknown): Promise<void>;
}

export function connectAuthoring(parts: AuthoringParts): Authoring {
  const { t, link, created } = parts;
  const store = new DisposableStore();
  store.add(
    vscode.languages.registerCodeLensProvider([...MANIFEST_SELECTOR], {
      provideCodeLenses: (document) => createLenses(document, t),
    }),
  );
  return {
    newTool: () =>
      newTool({
        window: vscode.window,
        t,
        root: () => pickRoot(t),
        create: async (request) => (await link.connection()).call('newTool', request),
        created,
        open: async (file) => {
          await vscode.window.showTextDocument(vscode.Uri.file(file));
        },
      }),
    tryTool: async (tried) => {
      if (isTried(tried)) await tryOne(parts, tried);
    },
    dispose: () => store.dispose(),
  };
}

function createLenses(document: vscode.TextDocument, t: Translate): vscode.CodeLens[] {
  const file = document.uri.fsPath;
  return toolEntries(file, document.getText()).map(({ offset, pointer }) => {
    const position = document.positionAt(offset);
    const tried = { file, pointer };
    return new vscode.CodeLens(new vscode.Range(position, position), {
      title: t('Try Tool'),
      command: 'gatehouse.tryTool',
      arguments: [tried],
    });
  });
}

async function tryOne(
  { link, t, session }: AuthoringParts,
  tried: { file: string; pointer: string },
): Promise<void> {
  const host = await link.connection();
  // The host reads the file from disk.
  await vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === tried.file)?.save();
  await tryTool(
    {
      window: vscode.window,
      t,
      session: async () =>
        session() ??
        (await host.newSession({ cwd: await findCwd(tried.file), mcpServers: [] })).sessionId,
      tools: async (sessionId) => (await host.call('tools', { sessionId })).tools,
      call: (request) => host.call('tryTool', request),
      show: async (result) => {
        const content = `${JSON.stringify(result, undefined, 2)}\n`;
        const document = await vscode.workspace.openTextDocument({ language: 'json', content });
        await vscode.window.showTextDocument(document, {
          preview: true,
          viewColumn: vscode.ViewColumn.Beside,
        });
      },
    },
    tried,
  );
}

async function findCwd(file: string): Promise<string> {
  const uri = vscode.Uri.file(file);
  return (vscode.workspace.getWorkspaceFolder(uri)?.uri ?? vscode.Uri.joinPath(uri, '..')).fsPath;
}

async function pickRoot(t: Translate): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(
    ({ uri }) => uri.scheme === 'file',
  );
  if (folders.length < 2) return folders[0]?.uri.fsPath;
  const items = folders.map(({ name, uri }) =>
    toPlainRow({ label: name, description: uri.fsPath, uri }),
  );
  const picked = await vscode.window.showQuickPick(items, {
    title: t('New Tool'),
    placeHolder: t('Select a workspace folder for the tool'),
    ignoreFocusOut: true,
  });
  return picked?.uri.fsPath;
}
