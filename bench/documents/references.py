"""Texts of files by other readers: reads paths from standard input, writes a line of JSON with a text per reader.

pip install python-docx docx2txt mammoth python-pptx python-calamine openpyxl pypdf pypdfium2; poppler-utils for pdftotext.
"""
import io, json, re, subprocess, sys, warnings

warnings.simplefilter('ignore')


def python_docx(path):
    import docx
    document = docx.Document(path)
    parts = [document.element.body]
    for section in document.sections:
        for part in (section.header, section.footer, section.first_page_header, section.first_page_footer):
            parts.append(part._element)
    name = '{http://schemas.openxmlformats.org/wordprocessingml/2006/main}'
    lines = []
    for part in parts:
        for paragraph in part.iter(name + 'p'):
            pieces = [(node.text or '') if node.tag == name + 't' else ' ' for node in paragraph.iter(name + 't', name + 'tab', name + 'br')]
            lines.append(''.join(pieces))
    return '\n'.join(lines)


def docx2txt(path):
    import docx2txt as reader
    return reader.process(path)


def mammoth(path):
    import mammoth as reader
    with open(path, 'rb') as file:
        return reader.extract_raw_text(file).value


def python_pptx(path):
    import pptx
    lines = []

    def read(shapes):
        for shape in shapes:
            if shape.shape_type == 6:
                read(shape.shapes)
            elif getattr(shape, 'has_text_frame', False) and shape.has_text_frame:
                lines.append(shape.text_frame.text)
            elif getattr(shape, 'has_table', False) and shape.has_table:
                lines.extend(cell.text for row in shape.table.rows for cell in row.cells)

    for slide in pptx.Presentation(path).slides:
        read(slide.shapes)
        if slide.has_notes_slide:
            read(slide.notes_slide.shapes)
    return '\n'.join(lines)


def pptx_xml(path):
    import zipfile
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if re.match(r'ppt/(slides|notesSlides|diagrams/data|charts/chart)[^_]*\.xml$', name)]
        sources = [archive.read(name).decode('utf8', 'replace') for name in names]
    paragraphs = [p for source in sources for p in re.findall(r'<a:p[ >].*?</a:p>', source, re.S)]
    import html
    return '\n'.join(html.unescape(''.join(re.findall(r'<a:t>([^<]*)</a:t>', p))) for p in paragraphs)


def calamine(path):
    from python_calamine import CalamineWorkbook
    book = CalamineWorkbook.from_path(path)
    return '\n'.join(str(cell) for name in book.sheet_names for row in book.get_sheet_by_name(name).to_python() for cell in row if isinstance(cell, str))


def openpyxl(path):
    import openpyxl as reader
    with open(path, 'rb') as file:
        book = reader.load_workbook(io.BytesIO(file.read()), read_only=False, data_only=True)
    lines = []
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, str):
                    lines.append(cell.value)
                if cell.comment:
                    lines.append(cell.comment.text)
    return '\n'.join(lines)


def poppler(path):
    return subprocess.run(['pdftotext', '-enc', 'UTF-8', path, '-'], capture_output=True, timeout=60, check=True).stdout.decode('utf8', 'replace')


def pypdf(path):
    from pypdf import PdfReader
    return '\n'.join(page.extract_text() for page in PdfReader(path).pages)


def pdfium(path):
    import pypdfium2
    return '\n'.join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path)).replace('\ufffe', '')


READERS = {
    'docx': [python_docx, docx2txt, mammoth],
    'pptx': [python_pptx, pptx_xml],
    'xlsx': [calamine, openpyxl],
    'pdf': [poppler, pypdf, pdfium],
}

for line in sys.stdin:
    path, kind = json.loads(line)
    texts = {}
    for reader in READERS[kind]:
        try:
            texts[reader.__name__] = reader(path)
        except BaseException:
            pass
    print(json.dumps(texts), flush=True)
