import { expect } from 'vitest';
import { createDrive } from '../../replication/google-drive-setup.js';
import { createRequester, type Tenant } from '../http/setup.js';
import { startReplicatingService, syncAndWait } from '../replication/setup.js';

/** The owner of the replicated folder in the sandbox. */
export const owner = 'ines.carvalho@fernhill.example';

/** A Drive in which tests create and share files. */
interface PreparedDrive extends Pick<ReturnType<typeof createDrive>, 'file' | 'folder'> {
  /** The replicated folder. */
  readonly root: string;
  share(id: string, permission: object): Promise<{ id: string }>;
}

type Body = Readonly<Record<string, unknown>>;

/** A service that replicates a Drive folder with its file permissions, and tokens bound to users. */
export async function startBoundDrive(
  prepare: (drive: PreparedDrive) => Promise<void>,
  config: object = {},
  options: Parameters<typeof startReplicatingService>[0] = {},
) {
  const running = await startReplicatingService(options);
  const { sandbox, acme, service } = running;
  const { send, ...drive } = createDrive({ sandbox });
  const root = await drive.folder('Kept');
  const share = (id: string, permission: object): Promise<{ id: string }> =>
    send('POST', `/files/${id}/permissions`, { role: 'reader', ...permission });
  const prepared = { ...drive, send, root, share };
  await prepare(prepared);
  const id = await acme.connect('google-drive', sandbox.vendors['google-drive'].credentials.oauth, {
    replication_config: { folder_url: root, permissions: true, ...config },
  });
  await syncAndWait(acme, id);
  const scoped = (tenant: Pick<Tenant, 'ask'>, as: Body) =>
    tenant.ask('POST', '/api/v1/account/applications/scoped-token', {
      json: { workspace_name: acme.workspace, ...as },
    });
  return {
    ...running,
    ...prepared,
    id,
    scoped,
    sync: () => syncAndWait(acme, id),
    /** Sends a request with a token bound to a user. */
    async as(as_user: string, more: Body = {}) {
      const { status, body, text } = await scoped(acme, { as_user, ...more });
      expect(status, text).toBe(200);
      return { token: body.token as string, ask: createRequester(service, { authorization: `Bearer ${body.token}` }) };
    },
  };
}
