import { PATHS } from '../../../src/api/contract.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { startService } from '../../../service/index.ts';
import type { StoredKeysOptions } from '../../../service/keys/accounts.ts';
import { startFakeOpenai, type Fault } from '../../fakes/openai.ts';
import { engineConfig, KEY } from '../../service/support.ts';
import { createKeys } from '../../service/keys/support.ts';
import { loadPrices } from '../../../service/keys/prices.ts';
import { ask, REFUSAL, type ServiceSubject, type Situation, type Target } from './target.ts';

/** Folders of engines: what the built-in service has in place of its own. */
const FOLDERS = new URL('../../fakes/engines/', import.meta.url);

/** The back end's path behind a path of the service. */
const BEHIND: Readonly<Record<string, string>> = {
  [PATHS.chat]: '/chat/completions',
  [PATHS.tts]: '/audio/speech',
  [PATHS.asr]: '/audio/transcriptions',
};

const FAULTS: Partial<Record<Situation, Fault>> = {
  'busy back end': { kind: 'status', status: 429, body: '{"error":{"message":"busy"}}' },
  'unreachable back end': { kind: 'reset' },
  'refusing back end': { kind: 'status', ...REFUSAL },
};

/** The keys of the situations, with the options that the command line makes them with. */
const KEYS: Partial<Record<Situation, readonly string[]>> = {
  'key without a provider of speech': ['--access', 'speech:espeak-ng'],
  'key without batch recognition': ['--access', 'realtime-recognition'],
  'key over its limit': ['--rate', '1/h:1'],
  'key that was revoked': [],
  'key whose free credit is spent': [],
};

const startWith = async (engines: string, openaiUrl?: string, stored?: StoredKeysOptions) => {
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    keys: [KEY],
    ...(stored ? { stored } : {}),
    engines: engineConfig(openaiUrl === undefined ? {} : { SERVICE_OPENAI_URL: openaiUrl }),
    log: silentLog,
    engineFolder: new URL(engines, FOLDERS),
  });
  return { url: service.url, key: KEY, [Symbol.asyncDispose]: async () => service.close() };
};

/** The built-in service, whose back end is scripted. */
export const openBuiltIn = async (): Promise<ServiceSubject & AsyncDisposable> => {
  const stack = new AsyncDisposableStack();
  const openai = stack.use(
    await startFakeOpenai({
      chat: (messages) => ['One ', 'answer ', 'to ', messages.at(-1)?.content ?? ''],
    }),
  );
  const keys = createKeys();
  const stored = { database: keys.database, prices: await loadPrices() };
  const whole = stack.use(await startWith('limited/', openai.url, stored));
  const faulty = stack.use(await startWith('faulty/'));
  const empty = stack.use(await startWith('./'));
  let made = 0;
  const keyFor = async (situation: Situation, options: readonly string[]): Promise<Target> => {
    made += 1;
    const name = `key-${made}`;
    const target = { url: whole.url, key: keys.create(name, ...options) };
    if (situation === 'key that was revoked') keys.run('revoke', name);
    if (situation === 'key over its limit') await ask(target, PATHS.voices);
    if (situation === 'key whose free credit is spent') {
      if (!keys.run('list').includes('10.00 USD')) throw new Error('the free credit is not 10 USD');
      keys.run('change', name, '--credit', '0');
    }
    return target;
  };

  return {
    url: whole.url,
    key: whole.key,
    when: async (situation, path) => {
      const options = KEYS[situation];
      if (options) return keyFor(situation, options);
      if (situation === 'nothing registered') return empty;
      if (situation === 'internal failure') return faulty;
      const fault = FAULTS[situation];
      const behind = BEHIND[path];
      if (!fault || behind === undefined)
        throw new Error(`${path}: the built-in service has no ${situation}`);
      openai.fail(behind, fault);
      return whole;
    },
    [Symbol.asyncDispose]: async () => stack.disposeAsync(),
  };
};
