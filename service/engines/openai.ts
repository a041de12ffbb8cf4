import type { Ability } from '../config.ts';
import type { EngineReport } from '../../src/model/service.ts';
import type { Engine, EngineContext } from '../engine.ts';
import { modelVariable, VARIABLES } from './openai/models.ts';

const NAME = 'openai';
const SERVES = ['chat', 'translation', 'recognition', 'speech'] as const;

/** Appends the API version to a base URL that lacks it. */
const withVersion = (url: string): string => {
  const base = url.replace(/\/+$/, '');
  return /\/v\d+$/.test(base) ? base : `${base}/v1`;
};

/** The address and key of an ability's server; undefined where it has none. */
const addressOf = (ability: Ability, config: EngineContext['config']) => {
  const own = VARIABLES[ability];
  const { SERVICE_OPENAI_URL: usual, SERVICE_OPENAI_KEY: usualKey } = config;
  const { [`${own}_URL` as const]: ownUrl, [`${own}_KEY` as const]: ownKey } = config;
  const url = ownUrl ?? usual;
  if (url === undefined) return undefined;
  // A key is for nobody but the host that it was given for.
  const isUsual = usual !== undefined && new URL(usual).origin === new URL(url).origin;
  const hasUsualKey = ownKey === undefined && isUsual;
  return {
    url: withVersion(url),
    key: hasUsualKey ? usualKey : ownKey,
    keyVariable: hasUsualKey ? 'SERVICE_OPENAI_KEY' : `${own}_KEY`,
    urlVariable: ownUrl === undefined ? 'SERVICE_OPENAI_URL' : `${own}_URL`,
  };
};

/** Connects to the servers of all abilities; those with one address and key share a server. */
const connect = async ({ config, log }: EngineContext) => {
  const byAbility = SERVES.flatMap((ability) => {
    const address = addressOf(ability, config);
    return address ? [{ ability, address }] : [];
  });
  if (byAbility.length === 0) return [];
  const { createUpstream } = await import('../back-end/http.ts');
  const { followServer } = await import('./openai/server.ts');
  const groups = Map.groupBy(byAbility, ({ address: { url, key } }) => `${url} ${key}`);
  return [...groups.values()].map((group) => {
    const [{ address } = group[0]!] = group;
    const serves = group.map(({ ability }) => ability);
    const upstream = createUpstream(address, log);
    const { urlVariable } = address;
    return { serves, urlVariable, upstream, ...followServer(upstream, serves, config, log) };
  });
};

type Server = Awaited<ReturnType<typeof connect>>[number];

const lineOf = async ({ serves, urlVariable, current, lists }: Server): Promise<EngineReport> => {
  const { models, abilities, faults } = await current();
  const found = serves.filter((ability) => abilities[ability] !== undefined);
  const variables = serves.filter((ability) => !found.includes(ability)).map(modelVariable);
  const fails = found.length === 0 && !lists();
  const remedy = fails
    ? `start the server of ${urlVariable}, or set ${variables.join(', ')}`
    : `for the rest set ${variables.join(', ')}`;
  return {
    name: NAME,
    serves: found.length > 0 ? found : serves,
    ready: found.length > 0,
    fails,
    detail: [
      ...found.map((ability) => `${ability}: ${models[ability]}`),
      ...new Set(faults),
      ...(variables.length > 0 ? [remedy] : []),
    ].join('; '),
  };
};

/**
 * Creates the engine for any server with the OpenAI API: hosted, or Ollama, vLLM, llama.cpp,
 * LocalAI, Speaches. Each ability may have a server of its own.
 */
export const createEngine = async (context: EngineContext): Promise<Engine> => {
  const servers = await connect(context);
  const serverOf = (ability: Ability): Server | undefined =>
    servers.find(({ serves }) => serves.includes(ability));

  return {
    name: NAME,
    serves: SERVES,
    rank: 1,
    concurrent: 16,
    abilities: async (needed) => {
      const asked = servers.filter(({ serves }) => needed === undefined || serves.includes(needed));
      const known = await Promise.all(asked.map(({ current }) => current()));
      return Object.assign({}, ...known.map(({ abilities }) => abilities));
    },
    report: async () => {
      const without = SERVES.filter((ability) => !serverOf(ability));
      const lines = await Promise.all(servers.map(lineOf));
      const detail = 'set SERVICE_OPENAI_URL to an OpenAI-compatible server';
      return without.length > 0
        ? [...lines, { name: NAME, serves: without, ready: false, detail }]
        : lines;
    },
    remedy: ({ ability }) => {
      if (ability === 'diarisation') return undefined;
      const server = serverOf(ability);
      if (!server) return 'set SERVICE_OPENAI_URL';
      const name = `set ${modelVariable(ability)}`;
      return server.lists()
        ? name
        : `start the server of ${server.urlVariable}, which does not answer, or ${name}`;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map(({ upstream }) => upstream[Symbol.asyncDispose]()));
    },
  };
};
