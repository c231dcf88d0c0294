import type { VendorReply } from '../vendor.js';
import { type DriveContext, userOf } from './context.js';
import { exportFormats, importFormats } from './mime.js';
import { maskOf, resourceReply } from './reply.js';
import { shapes } from './shapes.js';
import { storageUsed } from './storage.js';

const themes = ['abacus', 'ink', 'ocean', 'pine'].map((id, index) => ({
  id,
  backgroundImageLink: `https://ssl.gstatic.com/team_drive_themes/${id}_background.jpg`,
  colorRgb: ['#ea4335', '#3f51b5', '#039be5', '#0b8043'][index],
}));

const maxImportSizes = {
  'application/vnd.google-apps.document': '10485760',
  'application/vnd.google-apps.spreadsheet': '104857600',
  'application/vnd.google-apps.presentation': '104857600',
  'application/vnd.google-apps.drawing': '2097152',
};

/** about.get */
export function getAbout(context: DriveContext): VendorReply {
  maskOf(context, shapes.about);
  const { limits } = context;
  const usage = storageUsed(context);
  return resourceReply(context, shapes.about, {
    kind: 'drive#about',
    user: userOf(context, context.person),
    storageQuota: {
      limit: limits.storage === undefined ? undefined : String(limits.storage),
      usage: String(usage),
      usageInDrive: String(usage),
      usageInDriveTrash: String(storageUsed(context, true)),
    },
    importFormats,
    exportFormats,
    maxImportSizes,
    maxUploadSize: '5242880000000',
    appInstalled: false,
    canCreateDrives: true,
    canCreateTeamDrives: true,
    folderColorPalette: ['#ac725e', '#d06b64', '#f83a22', '#ff7537', '#4986e7', '#8f8f8f'],
    driveThemes: themes,
    teamDriveThemes: themes,
  });
}
