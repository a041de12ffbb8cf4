import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../../service/index.ts';
import { createServiceClient, type ServiceClient } from '../../../src/api/client.ts';
import { createRealtime, type Realtime } from '../../../src/api/realtime/index.ts';
import { silentLog } from '../silent-log.ts';
import { engineConfig, makeWav } from '../../service/support.ts';
import { installFakeApertium } from '../apertium.ts';
import { ASKER } from '../asker.ts';
import { writeTinyRecogniser } from '../models/tiny-recogniser.ts';
import { startServerProgram, type ServerProgram } from '../server-program.ts';
import {
  chatCalls,
  realtimeRecognitionCalls,
  recognitionCalls,
  speechCalls,
  textCalls,
  type Calls,
} from './callers.ts';

const KEY = 'svck:test-0123456789abcdef';
const BACK_END = { file: 'test/fakes/killed/back-end.ts', port: 'PORT' };
const SPEECH_SECONDS = 1;
const WAV = makeWav(SPEECH_SECONDS, [[0.2, 0.8]]);
const PCM = WAV.subarray(44);

/** A client, a service and its back end, one of which can be killed. */
export interface KillScene extends AsyncDisposable {
  readonly victim: ServerProgram;
  readonly calls: Calls;
}

const openClients = (
  url: string,
  scene: AsyncDisposableStack,
): { client: ServiceClient; realtime: Realtime } => {
  const client = scene.use(createServiceClient({ baseUrl: url, key: KEY }));
  const realtime = scene.use(
    createRealtime({
      baseUrl: url,
      key: KEY,
      uses: ['recognition', 'speech'],
      requests: client,
      log: silentLog,
    }),
  );
  return { client, realtime };
};

/** A voice of the back end, which the eSpeak NG of the machine has not. */
const backEndVoice = async (client: ServiceClient): Promise<string> => {
  const { signal } = new AbortController();
  const voices = await client.voices({ ...ASKER, signal });
  const found = voices.find(({ description }) => description.includes('alloy'));
  if (!found) throw new Error('the back end has no voice');
  return found.id;
};

const everyCall = async (client: ServiceClient, realtime: Realtime): Promise<Calls> => ({
  ...textCalls(client),
  ...recognitionCalls(client, WAV),
  ...chatCalls(client),
  ...speechCalls(client, realtime, await backEndVoice(client)),
  ...realtimeRecognitionCalls(realtime, PCM),
});

const startOwnService = async (
  scene: AsyncDisposableStack,
  variables: Readonly<Record<string, string>>,
): Promise<string> => {
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    keys: [KEY],
    engines: engineConfig(variables),
    log: silentLog,
  });
  scene.defer(() => service.close());
  return service.url;
};

/** The service is killed; its back end and the client go on. */
export const openServiceScene = async (): Promise<KillScene> => {
  await using scene = new AsyncDisposableStack();
  // It keeps what it was asked, which would count as the client's memory in this process.
  const backEnd = scene.use(await startServerProgram(BACK_END));
  const victim = scene.use(
    await startServerProgram({
      file: 'service/main.ts',
      port: 'SERVICE_PORT',
      environment: {
        SERVICE_KEYS: KEY,
        SERVICE_OPENAI_URL: backEnd.url,
        SERVICE_APERTIUM_MODES: '/nonexistent',
        SERVICE_MODELS: '/nonexistent',
      },
    }),
  );
  const { client, realtime } = openClients(victim.url, scene);
  const calls = await everyCall(client, realtime);
  const moved = scene.move();
  return { victim, calls, [Symbol.asyncDispose]: () => moved.disposeAsync() };
};

/** The only back end is killed; the service and the client go on. */
export const openBackEndScene = async (): Promise<KillScene> => {
  await using scene = new AsyncDisposableStack();
  const victim = scene.use(await startServerProgram(BACK_END));
  const url = await startOwnService(scene, { SERVICE_OPENAI_URL: victim.url });
  const { client, realtime } = openClients(url, scene);
  const calls = await everyCall(client, realtime);
  const moved = scene.move();
  return { victim, calls, [Symbol.asyncDispose]: () => moved.disposeAsync() };
};

/** The preferred back end is killed; a second engine translates and recognises as well. */
export const openSecondEngineScene = async (): Promise<KillScene> => {
  await using scene = new AsyncDisposableStack();
  const model = mkdtempSync(join(tmpdir(), 'dragoman-model-'));
  writeTinyRecogniser(model);
  const { modes } = scene.use(installFakeApertium());
  const victim = scene.use(await startServerProgram(BACK_END));
  const url = await startOwnService(scene, {
    SERVICE_OPENAI_URL: victim.url,
    SERVICE_APERTIUM_MODES: modes,
    SERVICE_SHERPA_MODEL: model,
  });
  const { client } = openClients(url, scene);
  const calls = { ...textCalls(client), ...recognitionCalls(client, WAV) };
  const moved = scene.move();
  return { victim, calls, [Symbol.asyncDispose]: () => moved.disposeAsync() };
};
