import manifest from '../../package.json' with { type: 'json' };

/** The product's version, out of package.json. */
export const VERSION: string = manifest.version;
