/**
 * Prints the manifest of a Slack app: `npm run slack-manifest -- --without files,private-channels --names app`, with
 * `--url https://dragoman.example.org` for HTTP.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { manifestFor, manifestYaml } from '../adapters/slack/manifest.ts';
import { LEFT_OUT, SHOWN_NAMES } from '../adapters/slack/scopes.ts';

const { values } = parseArgs({
  options: {
    without: { type: 'string', default: '' },
    names: { type: 'string', default: 'author' },
    url: { type: 'string' },
  },
});
const typed = values.without.split(',').filter((name) => name !== '');
const without = z.array(z.enum(LEFT_OUT)).safeParse(typed);
const names = z.enum(SHOWN_NAMES).safeParse(values.names);
if (without.success && names.success) {
  const choice = { without: without.data, names: names.data };
  process.stdout.write(manifestYaml(manifestFor(values.url, undefined, choice)));
} else {
  console.error(`--without takes ${LEFT_OUT.join(', ')}; --names takes ${SHOWN_NAMES.join(', ')}`);
  process.exitCode = 1;
}
