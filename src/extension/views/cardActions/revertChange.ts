import path from 'node:path';
import * as vscode from 'vscode';
import { getMessage } from '../../../base/faults.ts';
import type { HostLink } from '../../host/hostLink.ts';
import type { CallDiffs } from '../../review/callDiffs.ts';
import type { CallKey } from '../../review/proposal/proposedFile.ts';
import { plainNotice } from '../../text/plainNotice.ts';
import type { Translate } from '../../text/translate.ts';

export interface RevertSurfaces {
  readonly link: HostLink;
  readonly diffs: Pick<CallDiffs, 'show'>;
  readonly t: Translate;
}

/**
 * *Revert* on the card of an applied edit. Where later changes touch the same lines, nothing is written, and
 * the diff of the edit opens.
 */
export async function revertChange(
  { link, diffs, t }: RevertSurfaces,
  call: CallKey,
): Promise<void> {
  const { window } = vscode;
  try {
    const host = await link.connection();
    const { files, conflicts, changed = [] } = await host.call('revert', call);
    const [first] = conflicts;
    if (changed.length > 0) {
      void window.showWarningMessage(
        plainNotice(
          t('Changed since: {0}. Nothing was reverted.', toNames([...changed, ...conflicts])),
        ),
      );
    } else if (first !== undefined) {
      void window.showWarningMessage(
        plainNotice(
          t(
            '{0} was changed in the same lines since. Nothing was written. The diff shows what to revert by hand.',
            toNames(conflicts),
          ),
        ),
      );
      await diffs.show(call, first, true);
    } else if (files.length > 0) {
      void window.showInformationMessage(plainNotice(t('Reverted in {0}.', toNames(files))));
    } else {
      void window.showInformationMessage(
        t('Nothing to revert: the files do not have this change.'),
      );
    }
  } catch (error) {
    void window.showErrorMessage(
      plainNotice(t('Could not revert the change. {0}', getMessage(error))),
    );
  }
}

function toNames(files: readonly string[]): string {
  return files.map((file) => path.basename(file)).join(', ');
}
