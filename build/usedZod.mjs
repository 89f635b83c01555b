import { readFile } from 'node:fs/promises';

/**
 * Imports zod as a namespace in packages that import its object `z`. The bundler keeps all of such an object, with
 * the messages of zod in fifty languages, but only those members of a namespace that are used.
 */
export function importUsedZod() {
  return {
    name: 'used-zod',
    setup(build) {
      build.onLoad({ filter: /[\\/]node_modules[\\/].*\.m?js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const contents = useNamespace(source);
        return contents === source ? undefined : { contents, loader: 'js' };
      });
    },
  };
}

/** The source with `import * as z` instead of `import { z }`, whatever name it gets. */
export function useNamespace(source) {
  return source.replace(
    /\bimport \{ z(?: as (\w+))? \} from (["']zod(?:\/v4)?["'])/g,
    (_, name = 'z', from) => `import * as ${name} from ${from}`,
  );
}
