import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { testConnector } from 'agent-connectors-sandbox/testing';
import { params, sandbox } from './params.js';

testConnector({
  Connector: GoogleDriveConnector,
  sandbox,
  credentials: ({ vendors }) => vendors['google-drive'].credentials.access_token,
  guide: new URL('../../../connectors/google-drive/guide.md', import.meta.url),
  pages: { sizeParameter: 'pageSize', maxSize: 100 },
  params,
  parameters: {
    unsent: {
      'files_upload.create': {
        text: 'stands in place of file_content, and both together are refused',
        resume: 'takes no more than the address of an upload that has begun',
      },
    },
  },
});
