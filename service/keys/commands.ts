import { parseArgs, type ParseArgsConfig } from 'node:util';
import { AppError } from '../../src/errors.ts';
import { columns } from '../engine-report.ts';
import { parseRate, RATE_FORM } from '../allowance.ts';
import { ACCESS_WORDS, formatAccess, parseAccess, hashKey, makeKey } from './access.ts';
import { formatUsd, parseUsd } from './prices.ts';
import { type KeyChange, type KeyStore, openKeyStore } from './store.ts';
import { engineNames } from '../engine-loader.ts';

/** Credit of a new key (contract section 1). */
const NEW_CREDIT = '10';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Word that takes a rate away. */
const NONE = 'none';

interface KeysDeps {
  /** Opens the stored keys; the result is closed after the command. */
  readonly open: () => KeyStore;
  /** Names of the engines that there are. */
  readonly engines: readonly string[];
  readonly now: () => Date;
  readonly print: (line: string) => void;
}

const USAGE = `npm run service -- keys create NAME [--access WORD,...] [--credit USD] [--rate RATE] [--asr-rate RATE]
npm run service -- keys list
npm run service -- keys change NAME [--access WORD,...] [--credit USD] [--add-credit USD] [--rate RATE] [--asr-rate RATE]
npm run service -- keys revoke NAME

WORD: ${ACCESS_WORDS}
RATE: 5/s, 30/min or 5/s:10 (10 at once); ${NONE} for the service's own
A new key has access to all and a credit of ${NEW_CREDIT} USD.`;

const usage = (problem: string): AppError => new AppError('bad-input', `${problem}\n\n${USAGE}`);

const OPTIONS = {
  access: { type: 'string' },
  credit: { type: 'string' },
  'add-credit': { type: 'string' },
  rate: { type: 'string' },
  'asr-rate': { type: 'string' },
  help: { type: 'boolean' },
} as const satisfies ParseArgsConfig['options'];

const parseWords = (words: readonly string[]) => {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.(?:\s|$)/);
    throw usage(`${sentence}.`);
  }
};
type Values = ReturnType<typeof parseWords>['values'];

const readAmount = (option: string, text: string): number => {
  const nanoUsd = parseUsd(text);
  if (nanoUsd === undefined)
    throw usage(`--${option} must be an amount in USD up to 1000000, such as 10 or 2.50.`);
  return nanoUsd;
};

const readRate = (option: string, text: string): string | null => {
  if (text === NONE) return null;
  if (!parseRate(text)) throw usage(`--${option} ${RATE_FORM}, or ${NONE}.`);
  return text;
};

const readAccess = (text: string, engines: readonly string[]): string => {
  const parsed = parseAccess(text, engines);
  if ('access' in parsed) return formatAccess(parsed.access);
  const problem = `"${parsed.unknown}" is no access.`;
  throw usage(
    parsed.unknown.startsWith('speech:') ? `${problem} Engines: ${engines.join(', ')}.` : problem,
  );
};

/** Reads the options that creating and changing a key have in common. */
const readChange = (values: Values, engines: readonly string[]): KeyChange => ({
  ...(values.access === undefined ? {} : { access: readAccess(values.access, engines) }),
  ...(values.credit === undefined ? {} : { creditNanoUsd: readAmount('credit', values.credit) }),
  ...(values.rate === undefined ? {} : { rate: readRate('rate', values.rate) }),
  ...(values['asr-rate'] === undefined
    ? {}
    : { asrRate: readRate('asr-rate', values['asr-rate']) }),
});

const create = (name: string, values: Values, { open, engines, now, print }: KeysDeps): void => {
  if (!NAME.test(name))
    throw usage(
      'NAME must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit.',
    );
  if (values['add-credit'] !== undefined) throw usage('A new key has --credit, not --add-credit.');
  const {
    access = 'all',
    creditNanoUsd = readAmount('credit', NEW_CREDIT),
    rate = null,
    asrRate = null,
  } = readChange(values, engines);
  const key = makeKey();
  using store = open();
  store.create({
    hash: hashKey(key).toString('hex'),
    name,
    access,
    creditNanoUsd,
    rate,
    asrRate,
    createdAt: now().toISOString(),
  });
  print(key);
  print(`This is the key of ${name}. It is shown only now: keep it safe.`);
};

const list = ({ open, print }: KeysDeps): void => {
  using store = open();
  const keys = store.list();
  if (keys.length === 0) {
    print('There is no key. Create one with "npm run service -- keys create NAME"');
    return;
  }
  const rows = keys.map(({ name, access, creditNanoUsd, rate, asrRate, createdAt }) => [
    name,
    access,
    formatUsd(creditNanoUsd),
    rate ?? '-',
    asrRate ?? '-',
    createdAt.slice(0, 10),
  ]);
  const head = ['NAME', 'ACCESS', 'CREDIT', 'RATE', 'ASR RATE', 'CREATED'];
  for (const line of columns([head, ...rows])) print(line);
};

const change = (name: string, values: Values, { open, engines, print }: KeysDeps): void => {
  const added = values['add-credit'];
  if (added !== undefined && values.credit !== undefined)
    throw usage('Say either --credit or --add-credit.');
  const changes = {
    ...readChange(values, engines),
    ...(added === undefined ? {} : { addNanoUsd: readAmount('add-credit', added) }),
  };
  if (Object.keys(changes).length === 0) throw usage('Say what to change.');
  using store = open();
  store.change(name, changes);
  print(`${name} is changed.`);
};

const revoke = (name: string, { open, print }: KeysDeps): void => {
  using store = open();
  store.remove(name);
  print(`${name} is revoked.`);
};

/** Runs `keys create`, `list`, `change` and `revoke`. Throws `AppError` for the operator. */
export const runKeys = (words: readonly string[], deps: KeysDeps): void => {
  const { values, positionals } = parseWords(words);
  const [action, name, ...others] = positionals;
  const given = Object.keys(values);
  if (values.help) {
    deps.print(USAGE);
    return;
  }
  if (action === 'list' && name === undefined && given.length === 0) return list(deps);
  if (action === 'list') throw usage('keys list has no options.');
  if (action !== 'create' && action !== 'change' && action !== 'revoke')
    throw usage('Say create, list, change or revoke.');
  if (name === undefined || others.length > 0) throw usage(`Say one name to ${action}.`);
  if (action === 'create') return create(name, values, deps);
  if (action === 'change') return change(name, values, deps);
  if (given.length > 0) throw usage('keys revoke has no options.');
  return revoke(name, deps);
};

/**
 * Runs a command about keys, `keys …`. Returns false for other words.
 *
 * @param database file of the keys; it is made when missing
 * @param print tells the operator a line
 */
export const runKeyCommand = async (
  [command, ...words]: readonly string[],
  database: string,
  print: (line: string) => void,
): Promise<boolean> => {
  if (command !== 'keys') return false;
  runKeys(words, {
    open: () => openKeyStore(database),
    engines: await engineNames(),
    now: () => new Date(),
    print,
  });
  return true;
};
