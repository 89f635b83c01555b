import { openAcceptances } from './acceptance.ts';
import { createConfigurationStore } from './configurationStore.ts';
import { acceptedFile, userSettingsFile } from './dataFolder.ts';
import type { Settings } from './settings.ts';

/**
 * The settings of a command without a session: those of the user, and what the folder's own may tighten.
 * `accepted` is the list of what the user accepted. Creates nothing.
 */
export function readFolderSettings(
  folder: string,
  env: NodeJS.ProcessEnv,
  accepted = acceptedFile(env),
): Settings {
  const configuration = createConfigurationStore({
    expectsSnapshot: false,
    userFile: userSettingsFile(env),
    acceptances: openAcceptances(accepted),
    env,
  });
  return configuration.current(folder).settings;
}
