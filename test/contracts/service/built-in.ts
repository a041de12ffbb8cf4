import { PATHS } from '../../../src/api/contract.ts';
import { createLog } from '../../../src/log.ts';
import { startService } from '../../../service/index.ts';
import { startFakeOpenai, type Fault } from '../../fakes/openai.ts';
import { engineConfig, KEY } from '../../service/support.ts';
import { REFUSAL, type ServiceSubject, type Situation } from './target.ts';

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

const startWith = async (engines: string, openaiUrl?: string) => {
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    keys: [KEY],
    engines: engineConfig(openaiUrl === undefined ? {} : { SERVICE_OPENAI_URL: openaiUrl }),
    log: createLog('silent'),
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
  const whole = stack.use(await startWith('limited/', openai.url));
  const faulty = stack.use(await startWith('faulty/'));
  const empty = stack.use(await startWith('./'));
  return {
    url: whole.url,
    key: whole.key,
    when: async (situation, path) => {
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
